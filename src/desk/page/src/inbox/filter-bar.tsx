import { useState } from 'preact/hooks';
import type { Priority, SavedFilter } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { NameDialog } from '../shared/dialog.js';
import { PRIORITIES, priorityText } from '../shared/elements.js';
import { ToolButton } from '../shared/tool-button.js';
import { type Filter, type State, withFilter } from '../state.js';
import { t } from '../strings/index.js';

const filterOf = ({ filter }: State) => filter;
const botsOf = ({ bots }: State) => bots;
const savedOf = ({ savedFilters }: State) => savedFilters;
const tagsOf = ({ conversations }: State): readonly string[] =>
  [...new Set([...conversations.values()].flatMap(({ tags }) => tags))].sort();
const hasPrioritiesOf = ({ conversations }: State): boolean =>
  [...conversations.values()].some(({ priority }) => priority !== 'normal');
const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

/** Narrows the list down by bot, tag and priority, and keeps such filters for later, among the views. */
export function FilterBar() {
  const { store, client } = useDesk();
  const attempt = useAttempt();
  const filter = useDeskState(filterOf);
  const bots = useDeskState(botsOf);
  const saved = useDeskState(savedOf);
  const tags = useDeskState(tagsOf, isSameList);
  const hasPriorities = useDeskState(hasPrioritiesOf);
  const [isNaming, setNaming] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const change = (part: Partial<Filter>): void => store.update((state) => withFilter(state, part));
  const save = (filters: readonly SavedFilter[]): Promise<boolean> =>
    attempt(async () => {
      const savedFilters = await client.saveFilters(filters);
      store.update((state) => ({ ...state, savedFilters }));
    });
  const isFiltered = filter.bot !== null || filter.tag !== null || filter.priority !== null;
  const current = saved.find((each) => isSameFilter(each, filter));

  const hasChoices = bots.length > 1 || tags.length > 0 || hasPriorities;
  if (!hasChoices && !isFiltered) return null;

  return (
    <>
      <ToolButton
        icon="list-filter"
        label={t('filter')}
        isPressed={isFiltered}
        isExpanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <div class="filters">
          {bots.length > 1 && (
            <select
              data-key="bot"
              aria-label={t('bot')}
              value={filter.bot ?? ''}
              onChange={({ currentTarget }) => change({ bot: currentTarget.value || null })}
            >
              <option value="">{t('allBots')}</option>
              {bots.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          {(tags.length > 0 || filter.tag !== null) && (
            <select
              aria-label={t('tag')}
              value={filter.tag ?? ''}
              onChange={({ currentTarget }) => change({ tag: currentTarget.value || null })}
            >
              <option value="">{t('allTags')}</option>
              {[...new Set([...tags, ...(filter.tag === null ? [] : [filter.tag])])].map((tag) => (
                <option key={tag}>{tag}</option>
              ))}
            </select>
          )}
          {(hasPriorities || filter.priority !== null) && (
            <select
              aria-label={t('priority')}
              value={filter.priority ?? ''}
              onChange={({ currentTarget }) =>
                change({ priority: (currentTarget.value || null) as Priority | null })
              }
            >
              <option value="">{t('allPriorities')}</option>
              {PRIORITIES.map((priority) => (
                <option key={priority} value={priority}>
                  {priorityText(priority)}
                </option>
              ))}
            </select>
          )}
          {isFiltered && !current && (
            <button type="button" class="quiet" onClick={() => setNaming(true)}>
              {t('filterSave')}
            </button>
          )}
          {current && (
            <button
              type="button"
              class="quiet"
              onClick={() => void save(saved.filter((each) => each !== current))}
            >
              {t('filterRemove')}
            </button>
          )}
          {isNaming && (
            <NameDialog
              title={t('filterSave')}
              label={t('filterName')}
              maxLength={60}
              close={() => setNaming(false)}
              save={(name) => void save([...saved, { ...filter, id: crypto.randomUUID(), name }])}
            />
          )}
        </div>
      )}
    </>
  );
}

/** The filter without its name. */
export const partsOf = ({ view, bot, tag, priority }: SavedFilter): Filter => ({ view, bot, tag, priority });

export const isSameFilter = (a: SavedFilter, b: Filter): boolean =>
  a.view === b.view && a.bot === b.bot && a.tag === b.tag && a.priority === b.priority;
