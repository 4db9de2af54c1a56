// Before the first picture: the theme that was chosen last, if one was.
{
  let chosen = null;
  try { chosen = localStorage.getItem('rung-theme'); } catch { /* without storage the system decides */ }
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
}
