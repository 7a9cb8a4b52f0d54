import { useState } from 'preact/hooks';
import type { ActionInputs, ActionName, ConversationSummary, Priority } from '../../../api.js';
import { useDeskState } from '../desk-context.js';
import { Dialog } from '../shared/dialog.js';
import { PRIORITIES, priorityText } from '../shared/elements.js';
import { Menu } from '../shared/menu.js';
import type { State } from '../state.js';
import { formatTime, t } from '../strings/index.js';

const meOf = ({ me }: State) => me.id;

/** Runs an action on the conversation, and shows its error. */
export type Act = <Name extends ActionName>(name: Name, input: ActionInputs[Name]) => Promise<void>;

interface SortingProps {
  readonly summary: ConversationSummary;
  readonly act: Act;
}

/** Priority, tags and snooze of a conversation. */
export function SortingTools({ summary, act }: SortingProps) {
  const me = useDeskState(meOf);
  const [isTagging, setTagging] = useState(false);
  const { priority, tags, state, agent, snoozedUntil, firstReplyAt, replyBy } = summary;
  // The platform ends a conversation without a reply, so it cannot be snoozed.
  const isAnswered = firstReplyAt !== null || replyBy === null;
  const isSnoozed = snoozedUntil !== null && snoozedUntil > Date.now();
  return (
    <div class="sorting">
      <Menu
        label={t('priorityIs', { priority: priorityText(priority) })}
        items={PRIORITIES.map((each) => ({ key: each, label: priorityText(each) }))}
        choose={(each) => void act('priority', { priority: each as Priority })}
      />
      {state === 'active' && agent === me && !isSnoozed && isAnswered && (
        <Menu
          label={t('snooze')}
          items={snoozeTimes(new Date()).map(([label, until]) => ({ key: String(until), label }))}
          choose={(until) => void act('snooze', { until: Number(until) })}
        />
      )}
      {isSnoozed && agent === me && (
        <button type="button" onClick={() => void act('snooze', { until: null })}>
          {t('snoozeEnd', { time: formatTime(snoozedUntil) })}
        </button>
      )}
      {tags.map((tag) => (
        <span key={tag} class="tag" dir="auto">
          {tag}
        </span>
      ))}
      <button type="button" onClick={() => setTagging(true)}>
        {t('tagsEdit')}
      </button>
      {isTagging && <TagDialog summary={summary} act={act} close={() => setTagging(false)} />}
    </div>
  );
}

/** In an hour, in three hours, and tomorrow at nine. */
export function snoozeTimes(now: Date): readonly (readonly [string, number])[] {
  const inHours = (hours: number): number => now.getTime() + hours * 3_600_000;
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9).getTime();
  return [
    [t('snoozeHour'), inHours(1)],
    [t('snoozeHours'), inHours(3)],
    [t('snoozeTomorrow'), tomorrow],
  ];
}

const knownTagsOf = ({ conversations }: State): readonly string[] =>
  [...new Set([...conversations.values()].flatMap(({ tags }) => tags))].sort();
const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

function TagDialog({ summary, act, close }: SortingProps & { readonly close: () => void }) {
  const known = useDeskState(knownTagsOf, isSameList);
  const [chosen, setChosen] = useState<readonly string[]>(summary.tags);
  const [name, setName] = useState('');
  const all = [...new Set([...known, ...chosen])].sort();
  const toggle = (tag: string): void =>
    setChosen((now) => (now.includes(tag) ? now.filter((each) => each !== tag) : [...now, tag]));
  const save = (): void => {
    const next = name.trim() === '' ? chosen : [...chosen, name.trim()];
    const add = next.filter((tag) => !summary.tags.includes(tag));
    const remove = summary.tags.filter((tag) => !next.includes(tag));
    if (add.length + remove.length > 0) void act('tag', { add, remove });
  };
  return (
    <Dialog title={t('tagsEdit')} close={close}>
      <form method="dialog" onSubmit={save}>
        {all.map((tag) => (
          <label key={tag} class="switch">
            <input type="checkbox" checked={chosen.includes(tag)} onChange={() => toggle(tag)} />
            <bdi>{tag}</bdi>
          </label>
        ))}
        <label>
          {t('tagNew')}
          <input
            dir="auto"
            maxLength={40}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary">
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
