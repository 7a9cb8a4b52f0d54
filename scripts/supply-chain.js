import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Checks what `npm install handoff-kit` brings to others: installs the packed package in an empty folder, writes its bill
 * of materials (CycloneDX) to the file that is given, and checks licences and known vulnerabilities, of its optional
 * packages, too. Needs `dist`.
 *
 *   node scripts/supply-chain.js [sbom.json]
 */
const ROOT = dirname(import.meta.dirname);

/** Licences that set no conditions on the users of a program. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Sets conditions only on changes of its own files, and nobody gets it who does not install it. */
const EXCEPTION = { name: 'web-push', licence: 'MPL-2.0' };

/** @typedef {{ name: string, version: string, licenses?: { license?: { id?: string, name?: string }, expression?: string }[] }} Component */

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-'));
try {
  process.exitCode = check();
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns {number} the exit code */
function check() {
  const tarball = npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT).trim();
  writeFileSync(join(folder, 'package.json'), '{ "name": "installed", "version": "0.0.0", "private": true }');
  npm(['install', '--ignore-scripts', `./${tarball}`]);
  const [, , sbomFile] = process.argv;
  if (sbomFile !== undefined) writeFileSync(sbomFile, npm(['sbom', '--sbom-format=cyclonedx']));

  const { peerDependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const optional = Object.keys(peerDependencies).map((name) => `${name}@${devDependencies[name]}`);
  npm(['install', '--ignore-scripts', ...optional]);
  /** @type {{ components: Component[] }} */
  const { components } = JSON.parse(npm(['sbom', '--sbom-format=cyclonedx']));
  const refused = components.filter((component) => !isAllowed(component));
  for (const component of refused) {
    print(
      `licence of ${component.name} ${component.version}: ${licencesOf(component).join(', ') || 'none given'}`,
    );
  }
  print(`${components.length} packages, ${refused.length} with a licence that is not allowed.`);
  return refused.length === 0 && isWithoutVulnerabilities() ? 0 : 1;
}

/** @param {Component} component */
function licencesOf({ licenses = [] }) {
  return licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? '');
}

/** An expression such as `(MIT OR GPL-3.0)` is allowed if one of its choices is. @param {Component} component */
function isAllowed(component) {
  const licences = licencesOf(component);
  if (component.name === EXCEPTION.name && licences.join() === EXCEPTION.licence) return true;
  const isFree = (/** @type {string} */ text) =>
    text
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((choice) => choice.split(' AND ').every((each) => ALLOWED.has(each.trim())));
  return licences.length > 0 && licences.every(isFree);
}

/** Only a registry that has no audit, or cannot be reached, is no failure; that is printed. */
function isWithoutVulnerabilities() {
  const { stdout, status } = spawnSync('npm', ['audit', '--json', '--audit-level=high'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const report = JSON.parse(stdout || '{}');
  const counts = report.metadata?.vulnerabilities;
  if (counts) {
    print(`npm audit: ${JSON.stringify(counts)}`);
    return status === 0;
  }
  const reason = report.message ?? report.error?.summary ?? '';
  if (!/audit|advisories|ENOTFOUND|ECONN|EAI_AGAIN|ETIMEDOUT/.test(reason)) {
    print(`npm audit failed: ${stdout}`);
    return false;
  }
  print(`npm audit did not run, the registry has no answer for it: ${reason}`);
  return true;
}

/** @param {readonly string[]} args @param {string} cwd @returns {string} */
function npm(args, cwd = folder) {
  const { status, stdout, stderr, error } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
