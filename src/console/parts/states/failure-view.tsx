import { Alert, Button, List, Text } from "@mantine/core";
import { useLayoutEffect } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";
import { useIsInBanner, useServer } from "../../api/use-server.tsx";
import { shellTexts } from "../../texts/shell.ts";
import { Icon } from "../icon.tsx";
import { codeWords } from "../text/code-words.tsx";

interface FailureViewProps {
  thrown: unknown;
  /** The operation that failed, if the message does not name it. */
  title?: string;
  retry?: () => void;
}

/** Shows why an operation failed and what to do, in the service's own words. Shows nothing for an error that the banner explains. */
export function FailureView({ thrown, title, retry }: FailureViewProps) {
  const isInBanner = useIsInBanner(thrown);
  const { explained } = useServer();
  // Before the browser paints, so that the notice above the page does not flash.
  useLayoutEffect(() => (isInBanner ? undefined : explained.show(thrown)), [explained, thrown, isInBanner]);
  if (isInBanner) return null;
  const refusal = refusalOf(thrown);
  const message = refusal?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      className="ar-failure"
      icon={<Icon name="warn" />}
      title={title ?? codeWords(message)}
    >
      {title !== undefined && <Text className="ar-break">{codeWords(message)}</Text>}
      {refusal?.upstreamMessage !== undefined && (
        <Text className="ar-break">{shellTexts.providerSays(refusal.upstreamMessage)}</Text>
      )}
      {refusal?.hint !== undefined && <Text className="ar-break">{codeWords(refusal.hint)}</Text>}
      {refusal?.problems !== undefined && (
        <List size="sm" mt={4}>
          {refusal.problems.map(({ path, message: text, line }) => (
            <List.Item key={`${path} ${line} ${text}`}>
              <span className="ar-mono">{path}</span>
              {line === undefined ? "" : ` (${line})`}: {codeWords(text)}
            </List.Item>
          ))}
        </List>
      )}
      {retry !== undefined && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          {shellTexts.retry}
        </Button>
      )}
    </Alert>
  );
}
