import { Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { shellTexts } from "../texts/shell.ts";
import { BrandMark } from "./brand-mark.tsx";

/** Shown until the session is known. */
export function StartingView() {
  return (
    <Center mih="100dvh" role="status" aria-label={shellTexts.starting}>
      <Loader aria-hidden="true" />
    </Center>
  );
}

/** Shown if the first request got no answer. */
export function UnreachableView({ retry }: { retry: () => void }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack align="center" maw={420} ta="center">
        <BrandMark size={40} />
        <Title order={1}>{shellTexts.unreachableTitle}</Title>
        <Text className="ar-soft">{shellTexts.unreachableHint}</Text>
        <Button onClick={retry}>{shellTexts.retry}</Button>
      </Stack>
    </Center>
  );
}
