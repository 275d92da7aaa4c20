import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  title?: string;
  /** What would stand here, and how it gets here. */
  text: ReactNode;
  /** What to do about it. */
  children?: ReactNode;
}

/** In the place of what there isn't yet. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div className="ar-empty">
      <Stack gap="xs" align="center" maw={480}>
        {title !== undefined && (
          <Title order={2} size="h3">
            {title}
          </Title>
        )}
        <Text className="ar-soft">{text}</Text>
        {children}
      </Stack>
    </div>
  );
}
