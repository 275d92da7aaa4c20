import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  title?: string;
  /** The usual content, and how to add it. */
  text: ReactNode;
  /** Actions. */
  children?: ReactNode;
}

/** Placeholder for content that does not exist yet. */
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
