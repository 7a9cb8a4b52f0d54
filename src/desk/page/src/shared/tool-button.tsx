import { Icon, type IconName } from './icon.js';

/** A button that shows only an icon; its label is a tooltip. */
export function ToolButton({
  icon,
  label,
  isPressed,
  isExpanded,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly isPressed?: boolean;
  readonly isExpanded?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="icon-only"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
