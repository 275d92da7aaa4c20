import { Button } from "@mantine/core";

interface RowButtonProps {
  label: string;
  /** What it does to which row, for who doesn't see the row. */
  title?: string;
  isDanger?: true;
  onClick: () => void;
}

/** What can be done with a row of a table. */
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
