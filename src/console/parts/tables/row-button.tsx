import { Button } from "@mantine/core";

interface RowButtonProps {
  label: string;
  /** The action and its row, for screen readers. */
  title?: string;
  isDanger?: true;
  onClick: () => void;
}

/** A button for an action on a table row. */
export function RowButton({ label, title, isDanger, onClick }: RowButtonProps) {
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      aria-label={title}
      onClick={onClick}
      {...(isDanger ? { color: "red" } : {})}
    >
      {label}
    </Button>
  );
}
