import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ConversationEvent, ConversationUpdate, ConversationView, DeliveryState } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { failureText, formatTime, type TextName, t } from '../strings/index.js';
import { TeachDialog } from './teach-dialog.js';

const agentsOf = ({ agents }: State) => agents;
const canTeachOf = ({ canTeach }: State) => canTeach;

interface Delivery {
  readonly state: DeliveryState;
  /** The reason of a failure, translated where possible. */
  readonly reason: string | null;
}

/** The messages and events of a conversation. */
export function Timeline({ view }: { readonly view: ConversationView }) {
  const { entries, summary } = view;
  const agents = useDeskState(agentsOf);
  const deliveries = useMemo(() => deliveriesOf(entries), [entries]);
  const nameOf = (id: string | null): string => agents.find((agent) => agent.id === id)?.name ?? id ?? '';
  const shown = entries.filter(({ event }) => event.type !== 'delivery' && event.type !== 'read');
  const end = useStickToEnd(entries.length);

  return (
    <div role="log" aria-label={t('live')}>
      <ol>
        {shown.map((entry, index) => (
          <Line
            key={entry.seq}
            entry={entry}
            deskId={summary.id}
            delivery={deliveryOf(entry.event, deliveries)}
            questions={questionsBefore(view, shown.slice(0, index))}
            nameOf={nameOf}
          />
        ))}
      </ol>
      <div ref={end} />
    </div>
  );
}

interface LineProps {
  readonly entry: ConversationUpdate;
  readonly deskId: string;
  readonly delivery: Delivery | null;
  /** Earlier messages of the customer, latest first, for teaching. */
  readonly questions: readonly string[];
  readonly nameOf: (id: string | null) => string;
}

function Line({ entry: { event, at }, deskId, delivery, questions, nameOf }: LineProps) {
  if (event.type === 'message') {
    const isAgent = event.from === 'agent';
    return (
      <li class={`line from-${event.from}`}>
        <span class="speaker">
          {isAgent ? nameOf(event.agent) : t('customer')} <time>{formatTime(at)}</time>
        </span>
        <p dir="auto">{event.text}</p>
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
      <li class="line note">
        <span class="speaker">
          {t('note')} · {nameOf(event.agent)} <time>{formatTime(at)}</time>
        </span>
        <p dir="auto">{event.text}</p>
      </li>
    );
  }
  return (
    <li class="event">
      {eventText(event, nameOf)} <time>{formatTime(at)}</time>
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
  readonly questions: readonly string[];
  readonly answer: string;
}) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const canTeach = useDeskState(canTeachOf);
  const [isTeaching, setTeaching] = useState(false);
  const state = delivery?.state ?? 'storing';
  return (
    <>
      <span class={`foot ${state}`}>
        <span class="delivery" data-state={state}>
          {t(state)}
          {state === 'failed' && delivery?.reason && `: ${delivery.reason}`}
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
      {isTeaching && <TeachDialog questions={questions} answer={answer} close={() => setTeaching(false)} />}
    </>
  );
}

function eventText(event: ConversationEvent, nameOf: (id: string | null) => string): string {
  switch (event.type) {
    case 'claimed':
      return t('eventClaimed', { agent: nameOf(event.agent) });
    case 'released':
      return t('eventReleased', { agent: nameOf(event.agent) });
    case 'transferred':
      return t(event.to === event.agent ? 'eventTakenOver' : 'eventTransferred', {
        agent: nameOf(event.agent),
        to: nameOf(event.to),
      });
    case 'closed':
      return t(CLOSED_BY[event.by], { agent: nameOf(event.agent) });
    case 'opened':
    case 'message':
    case 'note':
    case 'delivery':
    case 'read':
      return t('eventOpened');
  }
}

const CLOSED_BY = {
  user: 'eventClosedUser',
  timeout: 'eventClosedTimeout',
  agent: 'eventClosedAgent',
  kit: 'eventClosedKit',
} as const satisfies Record<string, TextName>;

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
  const toHuman = before.flatMap(({ event }) =>
    event.type === 'message' && event.from === 'customer' ? event.text : [],
  );
  return [...new Set([...toAi, ...toHuman].filter((text) => text.trim() !== '').toReversed())];
}

/** Scrolls to the end on new entries, unless the agent has scrolled up. */
function useStickToEnd(length: number) {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver(([seen]) => {
      isAtEnd.current = seen?.isIntersecting ?? true;
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [length]);
  return end;
}
