import alarmClock from 'lucide-static/icons/alarm-clock.svg?raw';
import arrowRight from 'lucide-static/icons/arrow-right.svg?raw';
import atSign from 'lucide-static/icons/at-sign.svg?raw';
import bell from 'lucide-static/icons/bell.svg?raw';
import bookmark from 'lucide-static/icons/bookmark.svg?raw';
import chartColumn from 'lucide-static/icons/chart-column.svg?raw';
import check from 'lucide-static/icons/check.svg?raw';
import checkCheck from 'lucide-static/icons/check-check.svg?raw';
import chevronDown from 'lucide-static/icons/chevron-down.svg?raw';
import chevronLeft from 'lucide-static/icons/chevron-left.svg?raw';
import chevronRight from 'lucide-static/icons/chevron-right.svg?raw';
import circleAlert from 'lucide-static/icons/circle-alert.svg?raw';
import circleCheck from 'lucide-static/icons/circle-check.svg?raw';
import clock from 'lucide-static/icons/clock.svg?raw';
import copy from 'lucide-static/icons/copy.svg?raw';
import ellipsis from 'lucide-static/icons/ellipsis.svg?raw';
import flag from 'lucide-static/icons/flag.svg?raw';
import forward from 'lucide-static/icons/forward.svg?raw';
import hand from 'lucide-static/icons/hand.svg?raw';
import inbox from 'lucide-static/icons/inbox.svg?raw';
import keyboard from 'lucide-static/icons/keyboard.svg?raw';
import listChecks from 'lucide-static/icons/list-checks.svg?raw';
import listFilter from 'lucide-static/icons/list-filter.svg?raw';
import logOut from 'lucide-static/icons/log-out.svg?raw';
import messageSquareText from 'lucide-static/icons/message-square-text.svg?raw';
import pencil from 'lucide-static/icons/pencil.svg?raw';
import plus from 'lucide-static/icons/plus.svg?raw';
import search from 'lucide-static/icons/search.svg?raw';
import send from 'lucide-static/icons/send.svg?raw';
import settings from 'lucide-static/icons/settings.svg?raw';
import tag from 'lucide-static/icons/tag.svg?raw';
import undo2 from 'lucide-static/icons/undo-2.svg?raw';
import user from 'lucide-static/icons/user.svg?raw';
import userPlus from 'lucide-static/icons/user-plus.svg?raw';
import users from 'lucide-static/icons/users.svg?raw';
import volume2 from 'lucide-static/icons/volume-2.svg?raw';
import volumeOff from 'lucide-static/icons/volume-off.svg?raw';
import x from 'lucide-static/icons/x.svg?raw';
import { h } from 'preact';

/** The icons of the page, by their names at Lucide. A file that is not listed is not in the script. */
const FILES = {
  'alarm-clock': alarmClock,
  'arrow-right': arrowRight,
  'at-sign': atSign,
  bell,
  bookmark,
  'chart-column': chartColumn,
  check,
  'check-check': checkCheck,
  'chevron-down': chevronDown,
  'chevron-left': chevronLeft,
  'chevron-right': chevronRight,
  'circle-alert': circleAlert,
  'circle-check': circleCheck,
  clock,
  copy,
  ellipsis,
  flag,
  forward,
  hand,
  inbox,
  keyboard,
  'list-checks': listChecks,
  'list-filter': listFilter,
  'log-out': logOut,
  'message-square-text': messageSquareText,
  pencil,
  plus,
  search,
  send,
  settings,
  tag,
  'undo-2': undo2,
  user,
  'user-plus': userPlus,
  users,
  'volume-2': volume2,
  'volume-off': volumeOff,
  x,
};

export type IconName = keyof typeof FILES;

const SHAPE = /<(path|circle|ellipse|line|polygon|polyline|rect) (.*?)\/>/g;
const ATTRIBUTE = /([\w-]+)="(.*?)"/g;

/** Drawn, since not every machine has a font with these symbols. The parent element has the label. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {[...FILES[name].matchAll(SHAPE)].map(([shape, element = '', attributes = '']) =>
        h(element, {
          key: shape,
          ...Object.fromEntries([...attributes.matchAll(ATTRIBUTE)].map(([, key, value]) => [key, value])),
        }),
      )}
    </svg>
  );
}
