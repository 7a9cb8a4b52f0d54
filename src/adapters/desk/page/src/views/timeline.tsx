import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ConversationView, DeliveryState, Happening, JournalEntry } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { failureText, moment, type TextName, t } from '../strings/index.js';
import { TeachDialog } from './teach-dialog.js';

const agentsOf = ({ agents }: State) => agents;
const canTeachOf = ({ canTeach }: State) => canTeach;

interface Delivery {
  readonly state: DeliveryState;
  /** In the language of the page, else as the desk says it. */
  readonly why: string | null;
}

/** What happened in a conversation, as it goes on. */
export function Timeline({ view }: { readonly view: ConversationView }) {
  const { entries, summary } = view;
  const agents = useDeskState(agentsOf);
  const deliveries = useMemo(() => deliveriesOf(entries), [entries]);
  const nameOf = (id: string | null): string => agents.find((agent) => agent.id === id)?.name ?? id ?? '';
  const shown = entries.filter(({ happening }) => happening.type !== 'delivery' && happening.type !== 'read');
  const end = useStickToEnd(entries.length);

  return (
    <div role="log" aria-label={t('live')}>
      <ol>
        {shown.map((entry, index) => (
          <Line
            key={entry.seq}
            entry={entry}
            deskId={summary.id}
            delivery={deliveryOf(entry.happening, deliveries)}
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
  readonly entry: JournalEntry;
  readonly deskId: string;
  readonly delivery: Delivery | null;
  /** What the customer had said before, the last first, for teaching. */
  readonly questions: readonly string[];
  readonly nameOf: (id: string | null) => string;
}

function Line({ entry: { happening, at }, deskId, delivery, questions, nameOf }: LineProps) {
  if (happening.type === 'message') {
    const isAgent = happening.from === 'agent';
    return (
      <li class={`line from-${happening.from}`}>
        <span class="speaker">
          {isAgent ? nameOf(happening.agent) : t('customer')} <time>{moment(at)}</time>
        </span>
        <p dir="auto">{happening.text}</p>
        {isAgent && (
          <AgentLineFoot
            deskId={deskId}
            messageId={happening.messageId}
            delivery={delivery}
            questions={questions}
            answer={happening.text}
          />
        )}
      </li>
    );
  }
  if (happening.type === 'note') {
    return (
      <li class="line note">
        <span class="speaker">
          {t('note')} · {nameOf(happening.agent)} <time>{moment(at)}</time>
        </span>
        <p dir="auto">{happening.text}</p>
      </li>
    );
  }
  return (
    <li class="event">
      {eventText(happening, nameOf)} <time>{moment(at)}</time>
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
          {state === 'failed' && delivery?.why && `: ${delivery.why}`}
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

function eventText(happening: Happening, nameOf: (id: string | null) => string): string {
  switch (happening.type) {
    case 'claimed':
      return t('eventClaimed', { agent: nameOf(happening.agent) });
    case 'released':
      return t('eventReleased', { agent: nameOf(happening.agent) });
    case 'transferred':
      return t(happening.to === happening.agent ? 'eventTakenOver' : 'eventTransferred', {
        agent: nameOf(happening.agent),
        to: nameOf(happening.to),
      });
    case 'closed':
      return t(CLOSED_BY[happening.by], { agent: nameOf(happening.agent) });
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

/** What became of each reply: the last that is known. */
function deliveriesOf(entries: readonly JournalEntry[]): ReadonlyMap<string, Delivery> {
  const deliveries = new Map<string, Delivery>();
  for (const { happening } of entries) {
    if (happening.type !== 'delivery') continue;
    const { messageId, state, reason, code } = happening;
    deliveries.set(messageId, { state, why: (code && failureText(code)) || reason });
  }
  return deliveries;
}

const deliveryOf = (happening: Happening, deliveries: ReadonlyMap<string, Delivery>): Delivery | null =>
  happening.type === 'message' ? (deliveries.get(happening.messageId) ?? null) : null;

/** What the customer said before an answer, the last first; before the handoff, too. */
function questionsBefore(
  { transcript }: ConversationView,
  before: readonly JournalEntry[],
): readonly string[] {
  const toAi = transcript.flatMap(({ from, text }) => (from === 'user' ? text : []));
  const toHuman = before.flatMap(({ happening }) =>
    happening.type === 'message' && happening.from === 'customer' ? happening.text : [],
  );
  return [...new Set([...toAi, ...toHuman].filter((text) => text.trim() !== '').toReversed())];
}

/** Keeps the end in sight while it is in sight; who reads further up is left alone. */
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
