import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { generateAdapterProject } from '../../src/cli/init/adapter-project.js';
import {
  FAKE_HMAC_TOKEN,
  FAKE_INBOX,
  FAKE_SECRET,
  startFakeChatwoot,
} from '../fixtures/chatwoot/fake-chatwoot.js';
import { startFakeSlack } from '../fixtures/slack/fake-slack.js';
import { IDS } from '../fixtures/slack/workspace.js';
import { redirectFetch } from '../helpers/redirect-fetch.js';
import { temporaryFolder } from '../standalone/databases.js';
import { fileWith } from './config-file.js';
import { runCli, runCliProcess } from './run-cli.js';

interface Report {
  readonly ok: boolean;
  readonly adapter: string;
  readonly results: readonly {
    readonly adapter: string;
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
  }[];
}

const failed = (report: Report): string[] => report.results.filter(({ ok }) => !ok).map(({ name }) => name);

async function chatwootSettings() {
  const fake = await startFakeChatwoot();
  onTestFinished(() => fake.stop());
  return {
    ADAPTER: 'chatwoot',
    CHATWOOT_URL: fake.url,
    CHATWOOT_INBOX: FAKE_INBOX,
    CHATWOOT_WEBHOOK_SECRET: FAKE_SECRET,
  };
}

async function slackSettings() {
  const fake = await startFakeSlack();
  onTestFinished(() => fake.stop());
  redirectFetch('https://slack.com/api', fake.apiUrl);
  const settings = {
    ADAPTER: 'slack',
    SLACK_BOT_TOKEN: fake.token,
    SLACK_SIGNING_SECRET: fake.signingSecret,
    SLACK_CHANNEL: IDS.channel,
  };
  return { settings, fake };
}

describe('adapter check', () => {
  it('reports the checks of Chatwoot as JSON and as text', async () => {
    const env = { ...(await chatwootSettings()), CHATWOOT_HMAC_TOKEN: FAKE_HMAC_TOKEN };
    const { code, json, stdout, stderr } = await runCli(['adapter', 'check', '--json'], { env });
    expect([code, stderr]).toEqual([0, '']);
    const report = json() as Report;
    expect(report).toMatchObject({ ok: true, adapter: 'chatwoot' });
    expect(report.results.map(({ name }) => name)).toEqual([
      'address',
      'inbox',
      'identity validation',
      'webhook secret',
      'clock',
    ]);
    const text = await runCli(['adapter', 'check'], { env });
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^ok {2}address +Chatwoot answers\.$/m);
    for (const secret of [FAKE_INBOX, FAKE_SECRET, FAKE_HMAC_TOKEN]) {
      expect(stdout + text.stdout).not.toContain(secret);
    }
  });

  it.each([
    [{ CHATWOOT_INBOX: FAKE_INBOX.toLowerCase() }, ['inbox']],
    [{ CHATWOOT_HMAC_TOKEN: 'sEcretAndWrong' }, ['identity validation']],
    [{ CHATWOOT_URL: 'http://127.0.0.1:9' }, ['address']],
  ])('exits with 1 for Chatwoot with %j', async (wrong, names) => {
    const env = { ...(await chatwootSettings()), ...wrong };
    const { code, json, stdout } = await runCli(['adapter', 'check', '--json'], { env });
    expect(code).toBe(1);
    expect(failed(json() as Report)).toEqual(names);
    expect(stdout).not.toContain('sEcret');
  });

  it('reports the checks of Slack with the settings of a file', async () => {
    const { settings } = await slackSettings();
    const { code, json } = await runCli(['adapter', 'check', '--config', fileWith(settings), '--json']);
    expect(code).toBe(0);
    expect((json() as Report).results.map(({ name }) => name)).toEqual([
      'credentials',
      'channel',
      'scopes',
      'names',
      'signing secret',
      'clock',
    ]);
  });

  it('exits with 1 for a wrong token, a channel without the app, and missing scopes', async () => {
    const { settings, fake } = await slackSettings();
    const wrong = await runCli(['adapter', 'check', '--slack-bot-token', 'xoxb-sEcret', '--json'], {
      env: settings,
    });
    expect(wrong.code).toBe(1);
    expect(failed(wrong.json() as Report)).toEqual(['credentials']);
    expect(wrong.stdout + wrong.stderr).not.toContain('sEcret');
    fake.workspace.channel.member = false;
    fake.scopes.delete('channels:history');
    const unfit = await runCli(['adapter', 'check'], { env: settings });
    expect(unfit.code).toBe(1);
    expect(unfit.stdout).toMatch(/^NOT OK {2}channel .*\/invite/m);
    expect(unfit.stdout).toMatch(/^NOT OK {2}scopes .*channels:history/m);
  });

  it.each([
    ['ADAPTER and BOT_ADAPTERS', { ADAPTER: 'slack', BOT_ADAPTERS: '65d4a1=chatwoot, 65d4a2=desk' }],
    ['BOT_ADAPTERS alone', { BOT_ADAPTERS: '65d4a1=chatwoot, 65d4a2=slack, 65d4a3=slack' }],
    ['BOT_ADAPTERS beside the desk', { ADAPTER: 'desk', BOT_ADAPTERS: '65d4a1=chatwoot, 65d4a2=slack' }],
  ])('checks every system that is named by %s', async (_how, named) => {
    const { ADAPTER: _slack, ...slack } = (await slackSettings()).settings;
    const { ADAPTER: _chatwoot, ...chatwoot } = await chatwootSettings();
    const env = { ...slack, ...chatwoot, ...named };
    const right = await runCli(['adapter', 'check', '--json'], { env });
    expect([right.code, right.stderr]).toEqual([0, '']);
    const { results } = right.json() as Report;
    expect(results.map(({ adapter, name }) => `${adapter} ${name}`)).toEqual(
      expect.arrayContaining(['chatwoot inbox', 'slack channel']),
    );

    const wrong = { ...env, CHATWOOT_INBOX: FAKE_INBOX.toLowerCase() };
    const { code, stdout } = await runCli(['adapter', 'check'], { env: wrong });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^NOT OK {2}chatwoot {2}inbox /m);
    expect(stdout).toMatch(/^ok {6}slack {5}channel /m);
  });

  it.each<[Record<string, string>, RegExp]>([
    [
      { ADAPTER: 'desk', BOT_ADAPTERS: '65d4a1=slack' },
      /SLACK_CHANNEL .*BOT_ADAPTERS names slack, which needs it/,
    ],
    [{ BOT_ADAPTERS: '65d4a1' }, /BOT_ADAPTERS {2}must be bot ids with helpdesks/],
    [{ ADAPTER: 'unknown', BOT_ADAPTERS: '65d4a1=slack' }, /ADAPTER +names no adapter/],
    [
      {},
      /ADAPTER {2}is missing\. It must be one of request-tracker, chatwoot, slack, lark, email.* the path of a module: handoff-kit adapter check \.\/dist\/test\/harness\.js/,
    ],
    [{ ADAPTER: 'unknown' }, /ADAPTER {2}names no adapter/],
    [{ ADAPTER: 'desk' }, /ADAPTER {2}is desk, which needs no check/],
    [
      { ADAPTER: 'slack' },
      /SLACK_BOT_TOKEN .*is missing.*\n.*SLACK_SIGNING_SECRET .*is missing.*\n.*SLACK_CHANNEL .*is missing/,
    ],
    [
      {
        ADAPTER: 'slack',
        SLACK_BOT_TOKEN: 'sEcret-1',
        SLACK_SIGNING_SECRET: ' ',
        SLACK_CHANNEL: '#sEcret-2',
      },
      /SLACK_SIGNING_SECRET +is empty.*\n +SLACK_BOT_TOKEN +must be the "Bot User OAuth Token".*\n +SLACK_CHANNEL +must be the id/,
    ],
  ])('exits with 2 and lists the problems for the settings %j', async (env, expected) => {
    const { code, stdout, stderr } = await runCli(['adapter', 'check'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain('sEcret');
  });

  it('explains the settings of each system in its help', async () => {
    const { stdout } = await runCli(['adapter', 'check', '--help']);
    expect(stdout).toMatch(/With ADAPTER=slack:\n +--slack-bot-token/);
    expect(stdout).toContain('its webhooks go to  /adapters/chatwoot');
    expect(stdout).toContain('MAIL_SMTP_URL');
    expect(stdout).not.toContain('/adapters/email');
  });
});

describe('adapter scrip', () => {
  const url = 'https://desk.example/adapters/request-tracker';
  const RT_WEBHOOK_SECRET = 'the-first-secret-of-two, the-other-secret-of-two';

  it('prints a Scrip that signs with the first secret', async () => {
    const { code, json } = await runCli(['adapter', 'scrip', '--url', url, '--json'], {
      env: { RT_WEBHOOK_SECRET },
    });
    expect(code).toBe(0);
    const { commit } = json() as { commit: string };
    expect(commit).toContain(`'${url}'`);
    expect(commit).toContain("'the-first-secret-of-two'");
    expect(commit).not.toContain('the-other-secret');
  });

  it('prints a data file that installs the Scrip', async () => {
    const args = ['adapter', 'scrip', '--url', url, '--queue', 'Handoffs', '--datafile'];
    const { code, stdout } = await runCli(args, { env: { RT_WEBHOOK_SECRET } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Reports events .*our @Final = .*'Handoffs'.*\n1;\n$/s);
  });

  it.each([
    [['--url', url], {}, /Give RT_WEBHOOK_SECRET/],
    [['--url', url], { RT_WEBHOOK_SECRET: 'short' }, /16 characters or more/],
    [[], { RT_WEBHOOK_SECRET }, /Give --url/],
    [['--url', 'desk.example'], { RT_WEBHOOK_SECRET }, /http or https/],
  ])('refuses %j with %j as wrong use', async (args, env, expected) => {
    const { code, stderr } = await runCli(['adapter', 'scrip', ...args], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(expected);
  });
});

describe('adapter check with a module', () => {
  /** A project with an adapter, for which this package is installed. */
  const writeProject = (): string => {
    const folder = temporaryFolder();
    generateAdapterProject(join(folder, 'x'), { language: 'js', adapter: 'full' });
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules/handoff-kit'));
    return join(folder, 'x');
  };
  const writeHarness = (): string => join(writeProject(), 'test/harness.js');
  const IDS_OF_CHECKS = 'open,signature-bytes';

  it('runs the conformance kit on an adapter, and prints each result', async () => {
    const args = ['adapter', 'check', writeHarness(), '--only', IDS_OF_CHECKS];
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`passed  open: open creates a conversation with the transcript
passed  signature-bytes: a body with other white space is refused
2 passed, 0 failed, 0 skipped
`);
  });

  it('prints a badge, and all results as JSON', async () => {
    const harness = writeHarness();
    const badge = await runCli(['adapter', 'check', harness, '--only', 'open', '--badge']);
    expect(badge.json()).toEqual({
      schemaVersion: 1,
      label: 'handoff-kit',
      message: '1 passed, 0 failed, 0 skipped',
      color: 'brightgreen',
    });
    const report = await runCli(['adapter', 'check', harness, '--only', IDS_OF_CHECKS, '--json']);
    expect(report.json()).toMatchObject({
      ok: true,
      adapter: 'Tiny Desk',
      passed: 2,
      results: [{ id: 'open' }, {}],
    });
  });

  it('exits with 1 if a check fails, and says what to do', async () => {
    const module = join(temporaryFolder(), 'defect.mjs');
    writeFileSync(
      module,
      `import { createAdapter as good, harness } from ${JSON.stringify(writeHarness())};
       export const createAdapter = async (site) => ({ ...(await good(site)), close: async () => {} });
       export { harness };`,
    );
    const { code, stdout } = await runCli(['adapter', 'check', module, '--only', 'close']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^failed {2}close: .*\n.*\nWhat happened: .*\nWhat was expected: .*\nWhat to do: /,
    );
  });

  it.each([
    ['does not exist', 'missing.js', 'missing.js. Check the path, or build the project first.'],
    ['has no harness', 'src/adapter.js', 'must export createAdapter, a function, and harness'],
  ])('refuses a module that %s', async (_what, module, message) => {
    const { code, stderr } = await runCli(['adapter', 'check', join(writeProject(), module)]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('says that a module in TypeScript has to be built', async () => {
    const module = join(temporaryFolder(), 'harness.ts');
    // No version of Node runs an enum as it is.
    writeFileSync(module, 'export enum Kind { One }\n');
    const { code, stderr } = await runCliProcess(['adapter', 'check', module]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Cannot load .*harness\.ts: .* Build it .* or use npm run check/);
  });
});
