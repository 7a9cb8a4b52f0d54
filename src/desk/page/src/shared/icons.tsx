const BELL = 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4';

/** Drawn as paths, since not every machine has a font with these symbols. The parent element has the label. */
function Icon({ path }: { readonly path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** Sounds are on. */
export const BellIcon = () => <Icon path={BELL} />;

/** Sounds are off. */
export const MutedIcon = () => <Icon path={`${BELL}M4 4l16 16`} />;

/** Hides a notice, or removes a line. */
export const CloseIcon = () => <Icon path="M6 6l12 12M18 6L6 18" />;

/** Adds a line. */
export const AddIcon = () => <Icon path="M12 5v14M5 12h14" />;

/** Back to the inbox. */
export const BackIcon = () => <Icon path="M15 5l-7 7 7 7" />;
