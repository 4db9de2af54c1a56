package shell

// TreeMemory is the memory a tree method may take, bytes.
const TreeMemory = 4 << 30
