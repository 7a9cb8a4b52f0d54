import { useEffect, useState } from 'preact/hooks';
import type { CannedList, CannedReply } from '../../../api.js';
import { useAttempt, useDesk, useDeskState, useMay } from '../desk-context.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Menu } from '../shared/menu.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

const cannedOf = ({ canned }: State) => canned;

/** The key of the item that opens the editor; ids of canned replies are not empty. */
const EDIT = '';

/** Inserts a canned reply, or opens the editor. */
export function CannedPicker({ insert }: { readonly insert: (text: string) => void }) {
  const canned = useDeskState(cannedOf);
  const mayEdit = useMay('editCanned');
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Menu
        label={t('canned')}
        items={[
          ...canned.replies.map(({ id, title }) => ({ key: id, label: title })),
          ...(mayEdit ? [{ key: EDIT, label: t('cannedEdit'), icon: 'pencil' as const }] : []),
        ]}
        choose={(key) => {
          if (key === EDIT) setEditing(true);
          else insert(canned.replies.find(({ id }) => id === key)?.text ?? '');
        }}
      >
        <Icon name="message-square-text" />
      </Menu>
      {isEditing && <CannedEditor initial={canned} close={() => setEditing(false)} />}
    </>
  );
}

/** Saves the canned replies, without those that are not filled in. Resolves to what the desk has then. */
export function useSaveCanned(): (list: CannedList) => Promise<CannedList> {
  const { client, store } = useDesk();
  return async ({ replies, version }) => {
    const complete = replies.filter(({ title, text }) => title.trim() !== '' && text.trim() !== '');
    const canned = await client.saveCanned({ replies: complete, version });
    store.update((state) => ({ ...state, canned }));
    return canned;
  };
}

/** The list with one more reply, to be filled in. */
export const withNewReply = (list: CannedList): CannedList => ({
  ...list,
  replies: [...list.replies, { id: crypto.randomUUID(), title: '', text: '' }],
});

function CannedEditor({ initial, close }: { readonly initial: CannedList; readonly close: () => void }) {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const saveCanned = useSaveCanned();
  const [list, setList] = useState(initial);

  // Another agent may have changed them since the page was loaded. What was edited meanwhile stays: if it is not based on
  // the newest list, the desk refuses it.
  useEffect(() => {
    void attempt(async () => {
      const newest = await client.canned();
      setList((now) => (now === initial ? newest : now));
    });
  }, []);

  const save = async (): Promise<void> => {
    if (!(await attempt(() => saveCanned(list)))) return;
    notify(t('saved'));
    close();
  };

  return (
    <Dialog title={t('cannedEdit')} close={close}>
      <CannedFields list={list} change={setList} />
      <div class="buttons">
        <button type="button" onClick={() => setList(withNewReply)}>
          {t('cannedAdd')}
        </button>
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
        <button type="button" class="primary" onClick={() => void save()}>
          {t('save')}
        </button>
      </div>
    </Dialog>
  );
}

export function CannedFields({
  list: { replies, version },
  change,
}: {
  readonly list: CannedList;
  readonly change: (list: CannedList) => void;
}) {
  const replace = (id: string, more: Partial<CannedReply>): void =>
    change({ version, replies: replies.map((reply) => (reply.id === id ? { ...reply, ...more } : reply)) });
  return (
    <>
      {replies.length === 0 && <p class="hint">{t('cannedNone')}</p>}
      {replies.map(({ id, title, text }) => (
        <fieldset key={id}>
          <label>
            {t('cannedTitle')}
            <input
              dir="auto"
              value={title}
              onInput={({ currentTarget }) => replace(id, { title: currentTarget.value })}
            />
          </label>
          <label>
            {t('cannedText')}
            <textarea
              rows={2}
              dir="auto"
              value={text}
              onInput={({ currentTarget }) => replace(id, { text: currentTarget.value })}
            />
          </label>
          <button
            type="button"
            onClick={() => change({ version, replies: replies.filter((reply) => reply.id !== id) })}
          >
            {t('remove')}
          </button>
        </fieldset>
      ))}
    </>
  );
}
