import { useEffect, useRef, useState } from 'preact/hooks';

/** An item of a {@link Menu}. */
export interface MenuItem {
  readonly key: string;
  readonly label: string;
}

/**
 * A button that opens a menu. Arrow keys only move the focus; an item acts when it is pressed. A `<select>` would act at
 * each arrow key.
 */
export function Menu({
  label,
  items,
  choose,
}: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly choose: (key: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const itemsOf = (): HTMLElement[] => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
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
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {label}
      </button>
      {isOpen && (
        <div role="menu" aria-label={label} onKeyDown={onKeyDown}>
          {items.map(({ key, label: text }) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              key={key}
              dir="auto"
              onClick={() => {
                close();
                choose(key);
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
