import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inline, Postponed } from '../../src/public/index.js';
import { chatEvent } from '../helpers/events.js';
import { AN_HOUR, type Engine, type EngineOptions, notes, stage } from './contract/stage.js';

/** Inline delivery with an acknowledgement deadline. */
const engine = (ackDeadlineMs: number): Engine => ({
  stores: false,
  createStore: async () => ({
    open: ({ handlerTimeoutMs = AN_HOUR }: EngineOptions) => inline({ ackDeadlineMs, handlerTimeoutMs }),
    remove: async () => {},
  }),
});

const awayFor = (retryAfterMs: number) => (): never => {
  throw new Postponed('the helpdesk is away', { retryAfterMs });
};

describe('a postponed event with inline delivery', () => {
  it('fails at once when its delay is longer than the handler timeout', async () => {
    const to = await (await stage(engine(AN_HOUR))).open(awayFor(60_000), { handlerTimeoutMs: 50_000 });
    const event = chatEvent('c');
    expect(await to.accept(event)).toBe('failed');
    expect(to.reports).toMatchObject([{ error: { code: 'POSTPONED' }, conversationId: 'c', attempt: 1 }]);
    expect(await to.delivery.seen(event)).toBe(false);
  });

  it('fails when its delays add up to more than the handler timeout', async () => {
    const to = await (await stage(engine(AN_HOUR))).open(awayFor(10), { handlerTimeoutMs: 1_000 });
    expect(await to.accept(chatEvent('c'))).toBe('failed');
    expect(to.reports).toMatchObject([{ error: { code: 'POSTPONED' } }]);
    expect(to.logged.about('postponed').length).toBeGreaterThan(1);
  });

  it('does not keep its sender waiting', async () => {
    const seen = notes<string>();
    let away = true;
    const to = await (await stage(engine(20))).open(({ key }) => {
      seen.add(key);
      if (away) awayFor(40)();
    });
    expect(await to.accept(chatEvent('c', { key: 'k' }))).toBe('late');
    away = false;
    await to.logged.until('late handlers finished');
    expect(new Set(seen.all)).toEqual(new Set(['k']));
  });

  it('fails when the receiver closes during the delay', async () => {
    const to = await (await stage(engine(AN_HOUR))).open(awayFor(AN_HOUR / 2));
    const accepted = to.accept(chatEvent('c'));
    await to.logged.until('postponed');
    expect(await to.stop(1)).toEqual({ unfinished: 1 });
    expect(await accepted).toBe('failed');
    expect(to.reports).toMatchObject([{ error: { code: 'POSTPONED' } }]);
  });

  it('may be one of many, without a warning of Node', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const to = await (await stage(engine(AN_HOUR))).open(awayFor(AN_HOUR / 2));
    const accepted = Array.from({ length: 20 }, (_, index) => to.accept(chatEvent(`c${index}`)));
    await vi.waitFor(() => expect(to.logged.about('postponed')).toHaveLength(20), { timeout: 30_000 });
    await to.stop(1);
    expect(new Set(await Promise.all(accepted))).toEqual(new Set(['failed']));
    expect(warnings).toEqual([]);
  });
});
