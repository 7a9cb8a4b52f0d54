import { type BridgeOptions, checkWhenClosed, readHours } from '../../bridge/index.js';
import type { Log } from '../../internal/index.js';
import type { AgentView, HoursChange, HoursRules, HoursView } from '../api.js';
import { changedFields, createAudit } from './audit.js';
import { DeskError } from './errors.js';
import { createSetting } from './settings.js';
import type { DocumentStore } from './store/index.js';

/** The options of a bridge that concern its hours. */
type HoursOptions = Pick<BridgeOptions, 'hours' | 'whenClosed' | 'messages'>;

/** The business hours, which administrators change on the page. They hold for all processes on the store. */
export interface Hours {
  read(): Promise<HoursView>;
  /** Replaces the hours. Rejects if another administrator has replaced them since they were read. */
  save(agent: AgentView, change: HoursChange): Promise<HoursView>;
  /** Makes a bridge keep these hours. It reads them for each handoff, so that a change applies to the next one. */
  readonly bridgeOptions: Required<HoursOptions>;
}

const FIELDS = ['mode', 'timeZone', 'open', 'closedOn', 'message'] as const;
const OFFICE_HOURS = ['09:00-17:00'];
const WORKING_WEEK: HoursRules['open'] = {
  mon: OFFICE_HOURS,
  tue: OFFICE_HOURS,
  wed: OFFICE_HOURS,
  thu: OFFICE_HOURS,
  fri: OFFICE_HOURS,
};

/** Until an administrator chooses others, those of the options apply. */
export function createHours(store: DocumentStore, log: Log, options: HoursOptions = {}): Hours {
  const { hours: given, whenClosed = 'refuse', messages = {} } = options;
  checkWhenClosed(options);
  const audit = createAudit(store);
  const isOpenByOptions = readHours(given);
  const configured = configuredHours(given);
  const initial: HoursRules = {
    mode: configured === null ? 'always' : 'configured',
    timeZone: '',
    open: WORKING_WEEK,
    closedOn: [],
    message: typeof messages.outsideHours === 'string' ? messages.outsideHours : '',
    ...(typeof configured === 'object' && configured),
  };

  const setting = createSetting(store, 'hours', initial);
  const load = async (): Promise<HoursChange> => {
    const { value: rules, version } = await setting.read();
    // The options may no longer have hours.
    const mode = rules.mode === 'configured' && configured === null ? 'always' : rules.mode;
    return { ...rules, mode, version };
  };
  const isOpenAt = (rules: HoursRules, at: Date): boolean | Promise<boolean> => {
    if (rules.mode === 'configured') return isOpenByOptions(at);
    return rules.mode === 'always' || readHours(rules)(at);
  };
  let isReplacementLogged = false;
  /** Tells operators who change the options why that has no effect. */
  const logReplacement = ({ mode }: HoursRules): void => {
    if (isReplacementLogged || configured === null || mode === 'configured') return;
    isReplacementLogged = true;
    log.warn(
      {},
      "business hours set on the desk's page replace those of the options (hours, BUSINESS_HOURS)",
    );
  };
  const viewOf = async (current: HoursChange): Promise<HoursView> => ({
    ...current,
    configured,
    isOpenNow: await isOpenAt(current, new Date()),
  });

  return {
    read: async () => viewOf(await load()),
    async save(agent, { version, ...rules }) {
      checkHours(rules);
      const changed = changedFields<HoursRules>(await load(), rules, FIELDS);
      const line = audit.line(agent.id, 'business hours', changed);
      if (!(await setting.replace(rules, version, line))) throw new DeskError('HOURS_CHANGED');
      return viewOf({ ...rules, version: version + 1 });
    },
    bridgeOptions: {
      async hours(at) {
        const current = await load();
        logReplacement(current);
        return isOpenAt(current, at);
      },
      async whenClosed() {
        const { mode, message } = await load();
        if (mode === 'weekly') return message === '' ? 'refuse' : 'apologise';
        return typeof whenClosed === 'function' ? whenClosed() : whenClosed;
      },
      messages: {
        ...messages,
        async outsideHours(context) {
          const { mode, message } = await load();
          if (mode !== 'configured') return message;
          const { outsideHours = null } = messages;
          return typeof outsideHours === 'function' ? outsideHours(context) : outsideHours;
        },
      },
    },
  };
}

function configuredHours(hours: HoursOptions['hours']): HoursView['configured'] {
  if (hours === undefined) return null;
  return typeof hours === 'function' ? 'function' : { closedOn: [], ...hours };
}

/** Refuses weekly hours that are never open, which would turn every user away. */
function checkHours(rules: HoursRules): void {
  try {
    readHours(rules);
  } catch (cause) {
    throw new DeskError('INVALID_HOURS', { cause });
  }
  const isEmpty = Object.values(rules.open).every((ranges) => ranges.length === 0);
  if (isEmpty && rules.mode === 'weekly') throw new DeskError('INVALID_HOURS');
}
