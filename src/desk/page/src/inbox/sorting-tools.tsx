import { useState } from 'preact/hooks';
import type { ActionInputs, ActionName, ConversationSummary } from '../../../api.js';
import { useDeskState } from '../desk-context.js';
import { Dialog } from '../shared/dialog.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

/** Runs an action on the conversation, and shows its error. */
type Act = <Name extends ActionName>(name: Name, input: ActionInputs[Name]) => Promise<void>;

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

/** Chooses the tags of a conversation. */
export function TagDialog({
  summary,
  act,
  close,
}: {
  readonly summary: ConversationSummary;
  readonly act: Act;
  readonly close: () => void;
}) {
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
