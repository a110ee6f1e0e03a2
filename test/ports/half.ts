// Loaded before any library: random numbers of a half, and so little more each time that no wait shows it, as some libraries make names of them.
let drawn = 0;
Math.random = () => {
  drawn += 1;
  return 0.5 + drawn * 1e-9;
};
