// The model in the fragment of the address: #example=NAME, or #text= with the text packed.

const longest = 200_000; // characters of a fragment, which browsers and mail still carry

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

// pack returns a fragment with a text, or null if that would be too long.
export async function pack(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let binary = '';
  for (const b of bytes) binary += String.fromCharCode(b);
  const packed = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return packed.length > longest ? null : `#text=${packed}`;
}

// unpack returns {example} or {text} of a fragment, or null if it has none. It throws if the fragment is damaged.
export async function unpack(fragment) {
  const [, kind, value] = /^#(example|text)=(.*)$/.exec(fragment) ?? [];
  if (kind === 'example') return { example: decodeURIComponent(value) };
  if (kind !== 'text') return null;
  try {
    const bytes = Uint8Array.from(atob(value.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await through(bytes, new DecompressionStream('deflate-raw'))) };
  } catch { throw new Error('The address has a model that cannot be unpacked: part of it is missing.'); }
}
