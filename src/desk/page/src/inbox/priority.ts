import type { Priority } from '../../../api.js';
import { t } from '../strings/index.js';

/** All priorities, the most urgent first. */
export const PRIORITIES: readonly Priority[] = ['urgent', 'high', 'normal', 'low'];

const TEXTS = {
  urgent: 'priorityUrgent',
  high: 'priorityHigh',
  normal: 'priorityNormal',
  low: 'priorityLow',
} as const;

/** The name of a priority. */
export const priorityText = (priority: Priority): string => t(TEXTS[priority]);
