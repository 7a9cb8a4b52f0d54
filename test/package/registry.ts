import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packedPackage, ROOT, run } from './installed.js';

/** Folders with a lock file, whose installed packages are offered. The first one that has a package gives `latest`. */
const FOLDERS = ['.', 'test/package/tools', 'test/bindings/next'];

/** With this variable, all packages but this one come from npm's own registry, in their newest versions. */
export const takesNewest = process.env.HANDOFF_KIT_PACKAGES === 'newest';

/** The part of a `package.json` that is used here. */
interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** The part of an entry of a lock file that is used here. */
interface Locked {
  readonly name?: string;
  readonly version?: string;
}

/** A package of a lock file, with its folder if it is installed. */
interface Offer {
  readonly manifest: Manifest;
  readonly folder: string | null;
}

/** A registry for `npm install`, as long as a test runs. */
export interface Registry {
  /** Variables with which npm uses this registry, and a cache that is removed with it. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');

/** The packages of a lock file, those of the folder itself before the packages of packages. */
function lockedIn(folder: string): Offer[] {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    read(ROOT, folder, 'package-lock.json'),
  );
  const depthOf = ([path]: readonly [string, Locked]): number => path.split('node_modules/').length;
  return Object.entries(packages)
    .filter(([path, { version }]) => path !== '' && version !== undefined)
    .toSorted((one, other) => depthOf(one) - depthOf(other))
    .map(([path, locked]) => offerOf(join(ROOT, folder, path), locked));
}

/** A package with its whole `package.json`, or, for other systems than this one, with what the lock file says of it. */
function offerOf(folder: string, { version = '', ...locked }: Locked): Offer {
  const name = locked.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (existsSync(join(folder, 'package.json'))) {
    const manifest: Manifest = JSON.parse(read(folder, 'package.json'));
    if (manifest.version === version) return { manifest, folder };
  }
  return { manifest: { ...locked, name, version }, folder: null };
}

/** All offers by name, the preferred version first. */
function findOffers(): Map<string, Offer[]> {
  const offers = new Map<string, Offer[]>();
  for (const offer of FOLDERS.flatMap(lockedIn)) {
    const { name, version } = offer.manifest;
    const known = offers.get(name) ?? [];
    const same = known.findIndex(({ manifest }) => manifest.version === version);
    if (same === -1) offers.set(name, [...known, offer]);
    else if (known[same]?.folder === null) offers.set(name, known.with(same, offer));
  }
  return offers;
}

/** What a registry answers when npm asks for the versions of a package. */
function describe(offers: readonly Offer[], url: string): object {
  const versions = offers.map(({ manifest }) => [
    manifest.version,
    { ...manifest, dist: { tarball: `${url}/${manifest.name}/-/${manifest.version}` } },
  ]);
  return {
    name: offers[0]?.manifest.name,
    'dist-tags': { latest: offers[0]?.manifest.version },
    versions: Object.fromEntries(versions),
  };
}

/** Sends a package from its folder, without the packages in it, which are offered themselves. */
function sendFolder(folder: string, response: ServerResponse): void {
  const tar = spawn('tar', ['-c', '--exclude=./node_modules', '-C', folder, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tar.stdout.pipe(response, { end: false });
  tar.once('error', (error) => response.destroy(error));
  // Half an archive would pass for a whole one.
  tar.once('close', (code) => (code === 0 ? response.end() : response.destroy()));
}

/**
 * Starts a registry that offers this package, packed, the one for `npm create`, and the packages that are installed
 * here, in the versions of the lock files. So `npm install` is tested as others run it, without a network, and with the
 * same outcome every day.
 */
export async function openRegistry(): Promise<Registry> {
  const tarball = await packedPackage();
  const own: Manifest = JSON.parse(read(ROOT, 'package.json'));
  const create: Manifest = JSON.parse(read(ROOT, 'create/package.json'));
  const offers = takesNewest ? new Map<string, Offer[]>() : findOffers();
  offers.set(own.name, [{ manifest: own, folder: null }]);
  offers.set(create.name, [{ manifest: create, folder: join(ROOT, 'create') }]);
  const npmsOwn = takesNewest ? await run('npm', ['config', 'get', 'registry'], tmpdir()) : '';
  let url = '';

  const answer = ({ url: path = '/' }: IncomingMessage, response: ServerResponse): void => {
    const [name = '', version] = decodeURIComponent(path.slice(1)).split('/-/');
    const found = offers.get(name) ?? [];
    const offer = found.find(({ manifest }) => manifest.version === version);
    if (found.length === 0 && takesNewest) {
      response.writeHead(302, { location: new URL(path.slice(1), npmsOwn.trim()).href }).end();
    } else if (found.length > 0 && version === undefined) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(describe(found, url)));
    } else if (name === own.name) response.end(tarball);
    else if (offer?.folder) sendFolder(offer.folder, response);
    else {
      // npm shows this sentence.
      const error = `no lock file of ${FOLDERS.join(', ')} has it, or it is not installed there: run npm ci.`;
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    }
  };

  // npm keeps connections, and on a busy machine would use one at the moment at which the server gives it up.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cache = mkdtempSync(join(tmpdir(), 'handoff-kit-npm-'));
  return {
    env: {
      npm_config_registry: url,
      npm_config_cache: cache,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      ...(!takesNewest && { npm_config_noproxy: '127.0.0.1', npm_config_fetch_retry_mintimeout: '100' }),
    },
    close() {
      server.close();
      server.closeAllConnections();
      rmSync(cache, { recursive: true, force: true });
    },
  };
}
