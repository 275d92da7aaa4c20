import fc from "fast-check";

/** A text and one way to split it: at random places, into characters, into halves of characters, or not at all. */
export interface SplitText {
  text: string;
  parts: string[];
}

export function splitTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<SplitText> {
  return texts.chain((text) =>
    fc
      .oneof(cutAnywhere(text), fc.constant([...text]), fc.constant(text.split("")), fc.constant([text]))
      .map((parts) => ({ text, parts: [...parts] })),
  );
}

function cutAnywhere(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat(text.length), { maxLength: 20 }).map((cuts) => {
    const places = [0, ...cuts.sort((a, b) => a - b), text.length];
    return places.slice(1).map((place, index) => text.slice(places[index], place));
  });
}
