import { Text } from "@mantine/core";

/** A message about a group of fields. */
export function FieldError({ message }: { message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <Text size="sm" className="ar-danger ar-break" role="alert">
      {message}
    </Text>
  );
}
