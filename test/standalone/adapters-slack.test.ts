import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { signRequest } from '../fixtures/slack/deliver.js';
import { envelope, startFakeSlack } from '../fixtures/slack/fake-slack.js';
import { IDS } from '../fixtures/slack/workspace.js';
import { redirectFetch } from '../helpers/redirect-fetch.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

/** The program, connected to a fake Slack. */
async function withSlack(env: Readonly<Record<string, string>> = {}) {
  const fake = await startFakeSlack();
  onTestFinished(() => fake.stop());
  redirectFetch('https://slack.com/api', fake.apiUrl);
  const served = await startProgram({
    ADAPTER: 'slack',
    SLACK_BOT_TOKEN: fake.token,
    SLACK_SIGNING_SECRET: fake.signingSecret,
    SLACK_CHANNEL: IDS.channel,
    ...env,
  });
  /** An agent writes, and Slack sends the signed event. */
  const says = async (threadTs: string, words: string): Promise<number> => {
    const event = { ...fake.postAsAgent(threadTs, words), channel: IDS.channel };
    const { headers, body } = signRequest(
      JSON.stringify(envelope(event, `Ev${event.ts}`)),
      'application/json',
      {
        secret: fake.signingSecret,
      },
    );
    return (await fetch(`${served.url}/adapters/slack`, { method: 'POST', headers, body })).status;
  };
  const thread = async (): Promise<string> =>
    vi.waitFor(() => {
      const [root] = fake.workspace.messages;
      if (!root) throw new Error('nothing was opened in Slack');
      return root.ts;
    }, WAIT_OPTIONS);
  return { ...served, fake, says, thread };
}

describe('the program with ADAPTER=slack', () => {
  it('carries a handoff with the names of agents, and the configured prefix and close words', async () => {
    const { program, url, simulator, fake, says, thread } = await withSlack({
      AGENT_NAMES: 'true',
      SLACK_CLOSE_WORDS: 'done!, !bye',
      SLACK_INSIDE_PREFIX: '##',
    });
    const handoff = await simulator.requestHandoff();
    expect(handoff.state).toBe('connecting');
    const ts = await thread();
    expect(await says(ts, '## who knows this one?')).toBe(200);
    expect(await says(ts, '// is no prefix here')).toBe(200);
    const first = await handoff.nextReply({ timeoutMs: WAIT_MS });
    expect(first.text).toBe('Ann: // is no prefix here');
    expect(await says(ts, 'All settled. done!')).toBe(200);
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    expect(handoff.replies.map(({ text }) => text)).toEqual([first.text, 'Ann: All settled.']);

    const said = await allOutput(program, url);
    for (const secret of [fake.token, fake.signingSecret]) expect(said).not.toContain(secret);
  });

  it('logs a wrong token at the start, without the token', async () => {
    const { program, url } = await withSlack({ SLACK_BOT_TOKEN: 'xoxb-wrong-sEcret' });
    await program.until(/slack: check failed: credentials: /);
    expect(await allOutput(program, url)).not.toContain('sEcret');
  });
});
