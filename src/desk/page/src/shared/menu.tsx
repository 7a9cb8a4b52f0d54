import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

/** An item of a {@link Menu}. */
export interface MenuItem {
  readonly key: string;
  readonly label: string;
  readonly icon?: IconName;
  /** Whether a choice is on; without it, the item is an action. */
  readonly isOn?: boolean;
  /** The heading of a group. Its items follow each other, and those with `isOn` exclude each other. */
  readonly group?: string;
}

/**
 * A button that opens a menu. Arrow keys only move the focus; an item acts when it is pressed. A `<select>` would act at
 * each arrow key. The button shows its label, or else its children.
 */
export function Menu({
  label,
  items,
  choose,
  children,
}: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly choose: (key: string) => void;
  readonly children?: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const itemsOf = (): HTMLElement[] => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
  ];

  useEffect(() => {
    if (!isOpen) return;
    itemsOf()[0]?.focus();
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
    };
  }, [isOpen]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const all = itemsOf();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const target = {
      ArrowDown: all[(at + 1) % all.length],
      ArrowUp: all.at(at - 1),
      Home: all[0],
      End: all.at(-1),
    }[event.key];
    if (event.key === 'Escape') close();
    else if (target) target.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        ref={button}
        class={children ? 'icon-only' : undefined}
        aria-label={children ? label : undefined}
        title={children ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children ?? label}
        {!children && <Icon name="chevron-down" />}
      </button>
      {isOpen && (
        <div role="menu" aria-label={label} onKeyDown={onKeyDown}>
          {groupsOf(items).map(({ heading, group }, nth) => {
            const buttons = group.map((item) => (
              <button
                type="button"
                {...roleOf(item)}
                tabIndex={-1}
                key={item.key}
                dir="auto"
                onClick={() => {
                  close();
                  choose(item.key);
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                <span>{item.label}</span>
                {item.isOn && <Icon name="check" />}
              </button>
            ));
            const rule = nth > 0 && <hr key={nth} />;
            if (heading === undefined) return [rule, ...buttons];
            return [
              rule,
              <fieldset key={heading} aria-label={heading}>
                <span class="heading" aria-hidden="true">
                  {heading}
                </span>
                {buttons}
              </fieldset>,
            ];
          })}
        </div>
      )}
    </div>
  );
}

function roleOf({ isOn, group }: MenuItem) {
  if (isOn === undefined) return { role: 'menuitem' } as const;
  return { role: group === undefined ? 'menuitemcheckbox' : 'menuitemradio', 'aria-checked': isOn } as const;
}

interface Group {
  readonly heading: string | undefined;
  readonly group: readonly MenuItem[];
}

/** Items that follow each other and have the same heading. */
function groupsOf(items: readonly MenuItem[]): readonly Group[] {
  return items.reduce<Group[]>((groups, item) => {
    const last = groups.at(-1);
    if (last && last.heading === item.group)
      groups[groups.length - 1] = { ...last, group: [...last.group, item] };
    else groups.push({ heading: item.group, group: [item] });
    return groups;
  }, []);
}
