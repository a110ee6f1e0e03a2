const path = `${__dirname}/dist/webpack`;

module.exports = [
  { mode: 'production', target: 'node', entry: './src/node.js', output: { path, filename: 'node.cjs' } },
  { mode: 'production', target: 'web', entry: './src/web.js', output: { path, filename: 'web.js' } },
];
