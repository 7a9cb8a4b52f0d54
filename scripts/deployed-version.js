// @ts-check
// Writes the version of package.json into the files that install it. `npm run release:version` runs it.
import { readFileSync, writeFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

for (const name of ['deploy/Dockerfile', 'deploy/kubernetes/receiver.yaml', 'docs/deployment.md']) {
  const file = new URL(name, ROOT);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/(handoff-kit[@:-])\d+\.\d+\.\d+(-[a-z]+\.\d+)?/g, `$1${version}`));
}
