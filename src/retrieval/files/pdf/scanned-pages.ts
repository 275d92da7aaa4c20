import { systemClock } from "../../../kit/clock.ts";
import { picturesLost } from "../document-fault.ts";
import type { PageProgress } from "../document-file.ts";
import { counted, type Losses } from "../document-writer.ts";
import type { Recognizer } from "../scan/recognize.ts";
import type { RecognitionFiles } from "../scan/text-recognition.ts";
import { type PicturePage, pagePicture } from "./page-picture.ts";

/** Recognition of one file ends after this time, of one page after 2 to 10 seconds. */
const recognitionMsMax = 240_000;

/** Pages of a PDF without text of their own: read by recognition where the pipeline wants it, and told by their numbers. */
export class ScannedPages {
  readonly #files: RecognitionFiles | undefined;
  #recognizer: Recognizer | undefined;
  #spentMs = 0;
  readonly #recognized: number[] = [];
  readonly #pictures: number[] = [];
  readonly #late: number[] = [];

  readonly #progressed: ((at: PageProgress) => void) | undefined;

  constructor(files: RecognitionFiles | undefined, progressed?: (at: PageProgress) => void) {
    this.#files = files;
    this.#progressed = progressed;
  }

  /** The recognized text of a page, one of `pages`; empty without recognition. */
  async read(page: PicturePage, number: number, pages: number): Promise<string> {
    if (this.#files === undefined || this.#spentMs > recognitionMsMax) {
      (this.#files === undefined ? this.#pictures : this.#late).push(number);
      return "";
    }
    this.#progressed?.({ page: number, pages });
    const startedMs = systemClock.monotonicMs();
    const { loadRecognizer } = await import("../scan/recognize.ts");
    this.#recognizer ??= await loadRecognizer(this.#files);
    const picture = await pagePicture(page);
    const text = picture === undefined ? "" : this.#recognizer.textOf(picture);
    this.#spentMs += systemClock.monotonicMs() - startedMs;
    (text === "" ? this.#pictures : this.#recognized).push(number);
    return text;
  }

  tell(losses: Losses): void {
    const add = (kind: string, pages: readonly number[], what: string) => {
      if (pages.length > 0)
        losses.add(kind, pages.length, (count) => `${counted(count, "page")} ${what}: ${ranges(pages)}`);
    };
    add("recognized", this.#recognized, "read by text recognition, which may err");
    add(picturesLost, this.#pictures, "without text, a picture or empty");
    add("pictures_late", this.#late, "not recognized, because the time was over");
  }
}

/** `1-3, 7` */
function ranges(pages: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < pages.length; at++) {
    const first = pages[at] as number;
    while (pages[at + 1] === (pages[at] as number) + 1) at++;
    const last = pages[at] as number;
    parts.push(first === last ? String(first) : `${first}-${last}`);
    if (parts.length === 20 && at < pages.length - 1) return `${parts.join(", ")} …`;
  }
  return parts.join(", ");
}
