import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import { nodeResolve } from '@rollup/plugin-node-resolve';

export default [
  {
    input: 'src/node.js',
    external: /^node:/,
    plugins: [nodeResolve({ exportConditions: ['node'] }), commonjs(), json()],
    output: { file: 'dist/rollup/node.js' },
  },
  { input: 'src/web.js', plugins: [nodeResolve({ browser: true })], output: { file: 'dist/rollup/web.js' } },
];
