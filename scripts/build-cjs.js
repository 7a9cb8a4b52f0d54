// @ts-check
// Builds the CommonJS form of the package from the ES modules in dist: for Jest, for bundlers and for TypeScript with
// `module: commonjs`. Node itself loads the ES modules with both `import` and `require`.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { rolldown } from 'rolldown';

const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url);
const entries = readdirSync(at('dist/public'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js'))
  .map((file) => `dist/public/${file.replaceAll('\\', '/')}`);
const bundle = await rolldown({
  input: Object.fromEntries(
    [...entries, 'dist/delivery/sqlite/writer-thread.js'].map((file) => [
      file.replace(/^dist\//, '').replace(/\.js$/, ''),
      file,
    ]),
  ),
  platform: 'node',
  external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('dist/'),
});
rmSync(at('dist/cjs'), { recursive: true, force: true });
await bundle.write({
  dir: 'dist/cjs',
  format: 'cjs',
  preserveModules: true,
  preserveModulesRoot: 'dist',
  entryFileNames: '[name].js',
  exports: 'named',
});
await bundle.close();

// Declarations are the same: beside `"type": "commonjs"` TypeScript reads them as CommonJS.
writeFileSync(at('dist/cjs/package.json'), '{ "type": "commonjs" }\n');
for (const file of readdirSync(at('dist'), { recursive: true, encoding: 'utf8' })) {
  const isProgram = /^(?:cjs|cli|standalone|doctor)\b/.test(file);
  if (isProgram || !/\.d\.ts$|\/page\/.*\.\w+$/.test(file)) continue;
  cpSync(at(`dist/${file}`), at(`dist/cjs/${file}`));
}
