import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { validate } from 'dockerfile-utils';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Secret, Service } from 'kubernetes-models/v1';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Answers } from '../../src/cli/init/choices.js';
import { generateProject } from '../../src/cli/init/generate.js';
import { SETTINGS } from '../../src/standalone/index.js';
import { deferred } from '../helpers/deferred.js';
import { describeWith } from '../helpers/requirement.js';
import { temporaryFolder } from '../standalone/databases.js';
import { runNode } from '../standalone/program.js';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');
const isFound = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const seconds = (text: unknown): number => Number(/^(\d+)s$/.exec(String(text))?.[1]);

/** The settings, and the password that the driver of PostgreSQL reads by itself. */
const VARIABLES = new Set([...SETTINGS.map(({ env }) => env), 'PGPASSWORD']);
const unknownVariables = (names: readonly string[]): string[] => names.filter((name) => !VARIABLES.has(name));

/**
 * What could not be run: no test has a container engine, so no image is built, and hadolint and kubeconform are not in
 * Debian. `dockerfile-utils` and the schemas of `kubernetes-models` take their place; the commands of the
 * Dockerfile are run by test/package/image.test.ts.
 */
const shellcheck = describeWith({
  name: 'shellcheck',
  found: isFound('shellcheck', '--version'),
  leavesOut: 'the check of shell commands by shellcheck',
  howToGet: 'install shellcheck (Debian: apt-get install shellcheck)',
});
/** The commands of a Dockerfile, as a script of the shell that runs them. */
const commandsOf = (dockerfile: string): string =>
  [...dockerfile.matchAll(/^RUN ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command).join('\n');

function problemsInShell(shell: 'bash' | 'sh', script: string, ignored = ''): string {
  const args = [`--shell=${shell}`, `--exclude=${ignored}`, '-'];
  return spawnSync('shellcheck', args, { encoding: 'utf8', input: script }).stdout;
}

describe('the Dockerfile of init', () => {
  const PROJECTS: Answers[] = [
    { language: 'ts', host: 'express', delivery: 'sqlite', adapter: 'none' },
    { language: 'js', host: 'koa', delivery: 'sqlite', adapter: 'none' },
    { language: 'ts', host: 'next', delivery: 'inline', adapter: 'none' },
  ];
  const dockerfileOf = (answers: Answers): string => {
    const folder = join(temporaryFolder(), 'project');
    generateProject(folder, answers);
    return readFileSync(join(folder, 'Dockerfile'), 'utf8');
  };

  it.each(PROJECTS)(
    'for $language, $host and $delivery is without mistakes, and runs as another user than root',
    (answers) => {
      const dockerfile = dockerfileOf(answers);
      expect(validate(dockerfile)).toEqual([]);
      expect(dockerfile.match(/^FROM /gm)).toHaveLength(2);
      expect(dockerfile).toMatch(/^RUN npm ci/m);
      expect(dockerfile).toMatch(/^USER node$/m);
      expect(dockerfile).toMatch(/^HEALTHCHECK /m);
      expect(dockerfile.match(/^CMD /gm)).toHaveLength(1);
      expect(/^VOLUME \/data$/m.test(dockerfile)).toBe(answers.delivery === 'sqlite');
    },
  );

  it("for Lambda is without mistakes, and has the function's handler", () => {
    const dockerfile = dockerfileOf({ language: 'js', host: 'lambda', delivery: 'inline', adapter: 'none' });
    expect(validate(dockerfile)).toEqual([]);
    expect(dockerfile.match(/^CMD .*$/gm)).toEqual(['CMD ["src/lambda.handler"]']);
  });
});

shellcheck('shell commands, as shellcheck reads them', () => {
  it.each([
    ['deploy/Dockerfile', 'sh', commandsOf(read('Dockerfile'))],
    ['templates/Dockerfile', 'sh', commandsOf(read('../templates/Dockerfile'))],
    ['.ci/run', 'bash', read('../.ci/run')],
  ] as const)('of %s have no mistakes', (_file, shell, script) => {
    expect(script).not.toBe('');
    // The build arguments are set outside of the script; several words in one are several packages.
    expect(problemsInShell(shell, script, 'SC2086,SC2154')).toBe('');
  });

  it('are checked: a mistake is found', () => {
    expect(problemsInShell('sh', 'rm -r "$folder"/*\n')).toContain('SC2115');
  });
});

describe('versions', () => {
  const { version, peerDependencies } = JSON.parse(read('../package.json'));
  const compose = parse(read('compose.yaml'));
  const EXACT = /^(?:[\w.-]+\/)*[\w-]+:\d+\.\d+(?:\.\d+)?(?:-[a-z]+\d+\.\d+)?$/;

  it('of images are exact', () => {
    const dockerfile = read('Dockerfile');
    const images = [
      ...dockerfile.matchAll(/^ARG \w*IMAGE=(.+)$/gm),
      ...read('compose.yaml').matchAll(/^\s+image: (.+)$/gm),
      ...read('kubernetes/receiver.yaml').matchAll(/^\s+image: (.+)$/gm),
    ].map(([, image = '']) => image);
    expect(images.filter((image) => !EXACT.test(image))).toEqual([]);
    expect(images).toHaveLength(3);
    expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)).toEqual(
      Array(2).fill(`\${NODE_IMAGE}`),
    );
    expect(compose.services.receiver).not.toHaveProperty('image');
    expect('node:latest').not.toMatch(EXACT);
    expect('postgres:18-alpine').not.toMatch(EXACT);
  });

  it('of packages are exact, and that of this package is its own', () => {
    const defaults = new Map(
      [...read('Dockerfile').matchAll(/^ARG (\w+)="?([^"\n]+)"?$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(defaults.get('PACKAGE')).toBe(`handoff-kit@${version}`);
    expect(defaults.get('WITH')).toMatch(/^pg@\d+\.\d+\.\d+$/);
    expect(defaults.get('WITH')).toContain(peerDependencies.pg.replace(/^\^(\d+)\..*$/, 'pg@$1.'));
    const pages = ['Dockerfile', 'kubernetes/receiver.yaml', '../docs/deployment.md'];
    const named = pages.flatMap((page) => read(page).match(/handoff-kit[@:-]\d+\.\d+\.\d+/g) ?? []);
    expect(new Set(named.map((name) => name.slice('handoff-kit'.length + 1)))).toEqual(new Set([version]));
  });
});

describe('deploy/Dockerfile', () => {
  const lines = read('Dockerfile');
  const [, last = ''] = lines.split(/^FROM (?!.* AS )/m);

  it('is a Dockerfile without mistakes', () => {
    expect(validate(lines)).toEqual([]);
  });

  it('runs as another user than root, has a health check, and passes signals to Node', () => {
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(last).toMatch(/^ENTRYPOINT \["node", /m);
    const [, environment = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(last) ?? [];
    const names = [...environment.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    expect(unknownVariables(names)).toEqual(['NODE_ENV']);
  });
});

describe('deploy/compose.yaml', () => {
  interface Compose {
    readonly services: {
      readonly receiver: {
        readonly environment: Readonly<Record<string, string>>;
        readonly stop_grace_period: string;
        readonly read_only: boolean;
      };
    };
  }
  const { services }: Compose = parse(read('compose.yaml'));

  it('sets known settings, a read-only file system, and time enough to stop', () => {
    const { environment, stop_grace_period, read_only } = services.receiver;
    expect(unknownVariables(Object.keys(environment))).toEqual([]);
    expect(read_only).toBe(true);
    const { SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = environment;
    expect(seconds(stop_grace_period)).toBeGreaterThan(seconds(SHUTDOWN_DELAY) + seconds(SHUTDOWN_TIMEOUT));
  });

  const compose = isFound('docker', 'compose', 'version') ? ['docker', 'compose'] : ['docker-compose'];
  const withCompose = describeWith({
    name: 'compose',
    found: isFound(String(compose[0]), ...compose.slice(1), 'version'),
    leavesOut: 'the check of deploy/compose.yaml by Docker Compose',
    howToGet: 'install Docker Compose (Debian: apt-get install docker-compose)',
  });
  withCompose('as Docker Compose reads it', () => {
    /** The services as Docker Compose starts them. */
    function servicesWith(env: string): Record<'receiver' | 'postgres', { environment: Environment }> {
      const folder = temporaryFolder();
      cpSync(join(DEPLOY, 'compose.yaml'), join(folder, 'compose.yaml'));
      writeFileSync(join(folder, '.env'), env);
      const [program = '', ...args] = compose;
      const { status, stdout, stderr } = spawnSync(program, [...args, '-f', 'compose.yaml', 'config'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      // It prints a file for itself, in which a dollar sign is doubled.
      return parse(stdout.replaceAll('$$', '$')).services;
    }

    it('gives both services a password of any characters, and the receiver no second copy', async () => {
      const password = 'p@ss:/#?%24$HOME "word"';
      const { receiver, postgres } = servicesWith(`PGPASSWORD='${password}'\nWEBHOOK_USERNAME=acme\n`);
      const { environment } = receiver;
      expect(postgres.environment.POSTGRES_PASSWORD).toBe(password);
      expect(environment.WEBHOOK_USERNAME).toBe('acme');
      expect(Object.keys(environment).filter((name) => environment[name]?.includes(password))).toEqual([
        'PGPASSWORD',
      ]);
      expect(await passwordSent(environment)).toBe(password);
    });
  });

  type Environment = Readonly<Record<string, string>>;

  /** The password that the program sends to a server that asks for it in plain text. */
  async function passwordSent(environment: Environment): Promise<string> {
    const password = deferred<string>();
    const server = createServer((socket) => {
      const ask = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        // A message with a type is the answer: p, a length, the password and a zero. The first message has no type.
        if (data[0] === 0x70) password.resolve(data.subarray(5, -1).toString());
        else socket.write(ask);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = environment.DATABASE_URL?.replace('@postgres/', `@127.0.0.1:${port}/`);
    runNode(['dist/cli/main.js', 'inbox', 'list'], { ...environment, DATABASE_URL: url });
    return password.promise;
  }
});

describe('deploy/kubernetes', () => {
  const objects = ['kubernetes/receiver.yaml', 'kubernetes/secret.example.yaml'].flatMap((path) =>
    parseAllDocuments(read(path)).map(
      (document) => document.toJSON() as { kind: string; apiVersion: string },
    ),
  );
  const KINDS = { Deployment, PodDisruptionBudget, Secret, Service };
  const kindOf = (name: string) =>
    KINDS[name as keyof typeof KINDS] as new (
      data: object,
    ) => { validate(): void };

  it('has values that Kubernetes accepts', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'Secret',
    ]);
    for (const object of objects) expect(() => new (kindOf(object.kind))(object).validate()).not.toThrow();
  });

  it('has no field that Kubernetes does not know', { timeout: 120_000 }, () => {
    const work = join(ROOT, '.deploy-check');
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const literals = objects.map(({ kind, apiVersion, ...rest }, index) => {
      const from = `kubernetes-models/${apiVersion}`;
      const literal = JSON.stringify({ apiVersion, kind, ...rest }, null, 1);
      return `import type { I${kind} as I${index} } from '${from}';\nexport const object${index}: I${index} = ${literal};\n`;
    });
    const typo =
      "import type { IService } from 'kubernetes-models/v1';\n// @ts-expect-error a typing mistake is found\nexport const typo: IService = { apiVersion: 'v1', kind: 'Service', spec: { portz: [] } };\n";
    writeFileSync(join(work, 'objects.ts'), [...literals, typo].join('\n'));
    writeFileSync(
      join(work, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', include: ['*.ts'] }),
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', work], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('stops replicas without lost requests, and runs them without rights', () => {
    const { spec } = objects[0] as unknown as IDeployment;
    const pod = spec?.template.spec;
    const [container] = pod?.containers ?? [];
    const environment = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
    expect(unknownVariables(Object.keys(environment))).toEqual([]);
    const { SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = environment;
    const { periodSeconds = 0, timeoutSeconds = 0, failureThreshold = 0 } = container?.readinessProbe ?? {};
    // Two failures are tolerated. The third is noticed while the port is still open.
    expect(failureThreshold).toBeGreaterThan(2);
    expect(seconds(SHUTDOWN_DELAY)).toBeGreaterThan(periodSeconds * failureThreshold + timeoutSeconds);
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(
      seconds(SHUTDOWN_DELAY) + seconds(SHUTDOWN_TIMEOUT),
    );
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container?.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const secret = objects.find(({ kind }) => kind === 'Secret') as unknown as { stringData: object };
    expect(unknownVariables(Object.keys(secret.stringData))).toEqual([]);
  });
});

describe('deploy/systemd', () => {
  const unit = join(DEPLOY, 'systemd/handoff-kit.service');
  const withSystemd = describeWith({
    name: 'systemd',
    found: isFound('systemd-analyze', '--version'),
    leavesOut: 'the checks of deploy/systemd by systemd-analyze',
    howToGet: 'use a Linux with systemd 250 or newer',
  });
  withSystemd('as systemd reads it', () => {
    it('is valid', () => {
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
      // It also complains about other units of this machine, and about programs that are not installed here.
      const own = stderr.split('\n').filter((line) => line.includes('handoff-kit.service'));
      expect(own.filter((line) => !line.includes('is not executable'))).toEqual([]);
    });

    it('exposes little', () => {
      const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect([status, stderr], stdout).toEqual([0, '']);
    });
  });
});
