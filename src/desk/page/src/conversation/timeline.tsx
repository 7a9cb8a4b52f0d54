import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ConversationEvent, ConversationUpdate, ConversationView, DeliveryState } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { priorityText, Time } from '../shared/elements.js';
import { RichText } from '../shared/rich-text.js';
import type { State } from '../state.js';
import { failureText, formatTime, t } from '../strings/index.js';
import { Translation } from './assist.js';
import { endedText } from './conversation-header.js';
import { TeachDialog } from './teach-dialog.js';

const agentsOf = ({ agents }: State) => agents;
const meOf = ({ me }: State) => me.id;
const canTeachOf = ({ canTeach }: State) => canTeach;

interface Delivery {
  readonly state: DeliveryState;
  /** The reason of a failure, translated where possible. */
  readonly reason: string | null;
}

/** Lines rendered at first, and per press of "Show earlier", to keep the page fast. */
const RENDERED = 100;

/** The messages and events of a conversation. */
export function Timeline({
  view,
  loadEarlier,
  onSeen,
}: {
  readonly view: ConversationView;
  readonly loadEarlier: () => unknown;
  /** Called with whether the end is in view. */
  readonly onSeen: (isAtEnd: boolean) => void;
}) {
  const { entries, summary } = view;
  const agents = useDeskState(agentsOf);
  const me = useDeskState(meOf);
  const deliveries = useMemo(() => deliveriesOf(entries), [entries]);
  const nameOf = (id: string | null): string => agents.find((agent) => agent.id === id)?.name ?? id ?? '';
  const shown = useMemo(
    () => entries.filter(({ event }) => event.type !== 'delivery' && event.type !== 'read'),
    [entries],
  );
  const { end, isAtEnd, scrollToEnd } = useFollowEnd(entries.length);
  const { first, showEarlier } = useRenderedLines(shown, isAtEnd, view.more ? loadEarlier : null);
  const hasNew = useHasNew(shown, isAtEnd);
  useEffect(() => onSeen(isAtEnd), [isAtEnd]);

  return (
    <>
      {showEarlier && (
        <button type="button" class="quiet" onClick={showEarlier}>
          {t('earlier')}
        </button>
      )}
      <div role="log" aria-label={t('live')}>
        <ol>
          {shown.slice(first).map((entry, index) => (
            <Line
              key={entry.seq}
              entry={entry}
              deskId={summary.id}
              me={me}
              delivery={deliveryOf(entry.event, deliveries)}
              questions={() => questionsBefore(view, shown.slice(0, first + index))}
              nameOf={nameOf}
            />
          ))}
        </ol>
        {hasNew && (
          <button type="button" class="new-messages primary" onClick={scrollToEnd}>
            ↓ {t('newMessages')}
          </button>
        )}
        <div ref={end} />
      </div>
    </>
  );
}

/** The index of the first line to render, and a function that shows earlier ones; `null` if there are none. */
function useRenderedLines(
  shown: readonly ConversationUpdate[],
  isAtEnd: boolean,
  loadEarlier: (() => unknown) | null,
) {
  const [count, setCount] = useState(RENDERED);
  const lastLength = useRef(shown.length);
  // New lines are added at the end; while the agent reads further up, none may disappear above.
  useEffect(() => {
    const added = Math.max(0, shown.length - lastLength.current);
    lastLength.current = shown.length;
    if (isAtEnd) setCount(RENDERED);
    else if (added > 0) setCount((now) => now + added);
  }, [shown.length, isAtEnd]);
  const first = Math.max(0, shown.length - count);
  const showEarlier = (): void => {
    setCount(count + RENDERED);
    if (first < RENDERED) loadEarlier?.();
  };
  return { first, showEarlier: first > 0 || loadEarlier ? showEarlier : null };
}

/** Whether messages of the customer arrived that the agent has not scrolled to. */
function useHasNew(shown: readonly ConversationUpdate[], isAtEnd: boolean): boolean {
  const seen = useRef(0);
  const last = shown.at(-1)?.seq ?? 0;
  if (isAtEnd) seen.current = last;
  return shown.some(
    ({ seq, event }) => seq > seen.current && event.type === 'message' && event.from === 'customer',
  );
}

interface LineProps {
  readonly entry: ConversationUpdate;
  readonly deskId: string;
  readonly me: string;
  readonly delivery: Delivery | null;
  /** Finds the earlier messages of the customer, latest first, for teaching. */
  readonly questions: () => readonly string[];
  readonly nameOf: (id: string | null) => string;
}

function Line({ entry: { event, at }, deskId, me, delivery, questions, nameOf }: LineProps) {
  if (event.type === 'message') {
    const isAgent = event.from === 'agent';
    return (
      <li class={`line from-${event.from}`}>
        <span class="speaker">
          <bdi>{isAgent ? nameOf(event.agent) : t('customer')}</bdi>
          <Time at={at} />
        </span>
        <RichText text={event.text} />
        {!isAgent && <Translation conversation={deskId} text={event.text} />}
        {isAgent && (
          <AgentLineFoot
            deskId={deskId}
            messageId={event.messageId}
            delivery={delivery}
            questions={questions}
            answer={event.text}
          />
        )}
      </li>
    );
  }
  if (event.type === 'note') {
    return (
      <li class={`line note ${event.mentions?.includes(me) ? 'mentions-me' : ''}`}>
        <span class="speaker">
          <span>{t('note')}</span>
          <bdi>{nameOf(event.agent)}</bdi>
          <Time at={at} />
        </span>
        <RichText text={event.text} />
      </li>
    );
  }
  return (
    <li class="event">
      <span>{eventText(event, nameOf)}</span>
      <Time at={at} />
    </li>
  );
}

function AgentLineFoot({
  deskId,
  messageId,
  delivery,
  questions,
  answer,
}: {
  readonly deskId: string;
  readonly messageId: string;
  readonly delivery: Delivery | null;
  readonly questions: () => readonly string[];
  readonly answer: string;
}) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const canTeach = useDeskState(canTeachOf);
  const bot = useDeskState(
    useCallback(({ conversations }: State) => conversations.get(deskId)?.bot ?? '', [deskId]),
  );
  const [isTeaching, setTeaching] = useState(false);
  const state = delivery?.state ?? 'storing';
  return (
    <>
      <span class={`foot ${state}`}>
        <span class="delivery" data-state={state}>
          {state === 'failed' && delivery?.reason
            ? t('failedBecause', { reason: delivery.reason })
            : t(state)}
        </span>
        {state === 'failed' && (
          <button
            type="button"
            class="quiet"
            onClick={() => void attempt(() => client.act(deskId, 'retry', { messageId }))}
          >
            {t('retry')}
          </button>
        )}
        {canTeach && (
          <button type="button" class="quiet" onClick={() => setTeaching(true)}>
            {t('teach')}
          </button>
        )}
      </span>
      {isTeaching && (
        <TeachDialog questions={questions()} answer={answer} bot={bot} close={() => setTeaching(false)} />
      )}
    </>
  );
}

function eventText(event: ConversationEvent, nameOf: (id: string | null) => string): string {
  switch (event.type) {
    case 'claimed':
      return t('eventClaimed', { agent: nameOf(event.agent) });
    case 'released':
      return t('eventReleased', { agent: nameOf(event.agent) });
    case 'assigned':
      return t('eventAssigned', { agent: nameOf(event.agent) });
    case 'unassigned':
      return t('eventUnassigned', { agent: nameOf(event.agent) });
    case 'transferred':
      return t(event.to === event.agent ? 'eventTakenOver' : 'eventTransferred', {
        agent: nameOf(event.agent),
        to: nameOf(event.to),
      });
    case 'passed':
      return t('eventTransferred', { agent: nameOf(event.agent), to: event.name });
    case 'tagged':
      return t('eventTagged', {
        agent: nameOf(event.agent),
        tags: [...event.added.map((tag) => `+${tag}`), ...event.removed.map((tag) => `−${tag}`)].join(' '),
      });
    case 'prioritised':
      return t('eventPrioritised', { agent: nameOf(event.agent), priority: priorityText(event.priority) });
    case 'snoozed':
      return event.until === null
        ? t('eventSnoozeEnded', { agent: nameOf(event.agent) })
        : t('eventSnoozed', { agent: nameOf(event.agent), time: formatTime(event.until) });
    case 'closed':
      return endedText(event, nameOf);
    case 'opened':
    case 'message':
    case 'note':
    case 'delivery':
    case 'read':
      return t('eventOpened');
  }
}

/** The latest delivery state of each reply. */
function deliveriesOf(entries: readonly ConversationUpdate[]): ReadonlyMap<string, Delivery> {
  const deliveries = new Map<string, Delivery>();
  for (const { event } of entries) {
    if (event.type !== 'delivery') continue;
    const { messageId, state, reason, code } = event;
    deliveries.set(messageId, { state, reason: (code && failureText(code)) || reason });
  }
  return deliveries;
}

const deliveryOf = (event: ConversationEvent, deliveries: ReadonlyMap<string, Delivery>): Delivery | null =>
  event.type === 'message' ? (deliveries.get(event.messageId) ?? null) : null;

/** The customer's messages before an answer, latest first, including those before the handoff. */
function questionsBefore(
  { transcript }: ConversationView,
  before: readonly ConversationUpdate[],
): readonly string[] {
  const toAi = transcript.flatMap(({ from, text }) => (from === 'user' ? text : []));
  const toAgent = before.flatMap(({ event }) =>
    event.type === 'message' && event.from === 'customer' ? event.text : [],
  );
  return [...new Set([...toAi, ...toAgent].filter((text) => text.trim() !== '').toReversed())];
}

/** This close to the end counts as at the end. */
const NEAR_PX = 40;

/** Keeps the end in view when entries arrive or the pane changes its size, unless the agent has scrolled up. */
function useFollowEnd(length: number) {
  const end = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const scrollToEnd = (): void => end.current?.scrollIntoView({ block: 'end' });

  useEffect(() => {
    const pane = end.current?.closest('.conversation');
    const below = pane?.querySelector('.composer');
    if (!pane || !below) return;
    // Only scrolling changes it: a pane that becomes smaller moves the end out of view by itself.
    const onScroll = (): void => {
      if (!end.current) return;
      const hidden = end.current.getBoundingClientRect().top - below.getBoundingClientRect().top;
      follows.current = hidden < NEAR_PX;
      setAtEnd(follows.current);
    };
    const observer = new ResizeObserver(() => {
      if (follows.current) scrollToEnd();
    });
    observer.observe(pane);
    observer.observe(below);
    // The scrolling element depends on the width; scroll events do not bubble.
    pane.addEventListener('scroll', onScroll, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      pane.removeEventListener('scroll', onScroll, { capture: true });
    };
  }, []);
  useLayoutEffect(() => {
    if (follows.current) scrollToEnd();
  }, [length]);
  return { end, isAtEnd, scrollToEnd };
}
