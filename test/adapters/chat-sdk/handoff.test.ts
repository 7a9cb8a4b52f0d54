import { describe, expect, it } from 'vitest';
import { PLATFORMS, type PlatformName } from './harness.js';
import { eventually, setUpHandoff } from './support.js';

describe.each(Object.keys(PLATFORMS) as PlatformName[])('a handoff to %s through the Chat SDK', (name) => {
  it('runs from the request through messages and replies to the close by the agent', async () => {
    const { bench, fake, externalId } = await setUpHandoff(name);
    await bench.requestHandoff({
      user: { userId: 'ada' },
      transcript: [{ text: 'I want a *human*', message_type: 'QUESTION' }],
    });
    expect(fake.shown(externalId())[0]).toContain('A customer asks for a human\nUser: ada\n');
    expect(fake.shown(externalId())[0]).toContain('Customer: I want a *human*');

    await bench.say('Is <!channel>, @everyone or _anybody_ there? https://x.example/a_b');
    await eventually(() =>
      expect(fake.shown(externalId())[1]).toBe(
        'Is <!channel>, @everyone or _anybody_ there? https://x.example/a_b',
      ),
    );

    fake.say(externalId(), '// who takes this?');
    fake.say(externalId(), '@bob can you?');
    fake.say(externalId(), 'Hello & welcome!');
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann Lee: Hello & welcome!' });

    fake.say(externalId(), 'Good bye !close');
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann Lee: Good bye' });
    await eventually(() => expect(bench.conversation).toMatchObject({ state: 'closed', endedBy: 'agent' }));
    await fake.idle();
    expect(bench.replies).toHaveLength(2);
    expect(fake.statuses.every((status) => status === 200)).toBe(true);
  });

  it('brings twenty replies in order, each once, though every webhook comes twice', async () => {
    const { bench, fake, externalId } = await setUpHandoff(name);
    await bench.requestHandoff();
    const texts = Array.from({ length: 20 }, (_, index) => `reply ${index + 1}`);
    for (const text of texts) {
      fake.say(externalId(), text);
      fake.repeatLast();
    }
    await eventually(() => expect(bench.replies).toHaveLength(20));
    await fake.idle();
    expect(bench.replies.map(({ text }) => text)).toEqual(texts.map((text) => `Ann Lee: ${text}`));
  });

  it('tells the agents when the user leaves', async () => {
    const { bench, fake, externalId } = await setUpHandoff(name);
    await bench.requestHandoff();
    await bench.closeByUser();
    await eventually(() => expect(fake.shown(externalId()).at(-1)).toMatch(/^Closed: /));
  });
});
