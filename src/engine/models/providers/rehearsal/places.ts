/** Zones of places that are not in the zone's identifier, and common abbreviations of zones. */
const otherNames: Record<string, string> = {
  utc: "UTC",
  gmt: "UTC",
  cet: "Europe/Paris",
  est: "America/New_York",
  pst: "America/Los_Angeles",
  jst: "Asia/Tokyo",
  ist: "Asia/Kolkata",
  "san francisco": "America/Los_Angeles",
  seattle: "America/Los_Angeles",
  california: "America/Los_Angeles",
  boston: "America/New_York",
  washington: "America/New_York",
  miami: "America/New_York",
  beijing: "Asia/Shanghai",
  china: "Asia/Shanghai",
  mumbai: "Asia/Kolkata",
  delhi: "Asia/Kolkata",
  india: "Asia/Kolkata",
  japan: "Asia/Tokyo",
  osaka: "Asia/Tokyo",
  germany: "Europe/Berlin",
  munich: "Europe/Berlin",
  hamburg: "Europe/Berlin",
  france: "Europe/Paris",
  spain: "Europe/Madrid",
  barcelona: "Europe/Madrid",
  italy: "Europe/Rome",
  milan: "Europe/Rome",
  england: "Europe/London",
  uk: "Europe/London",
  geneva: "Europe/Zurich",
};

/** Names of zones that are also everyday words. */
const ambiguous = new Set(["easter", "wake", "troll", "center", "midway", "knox", "central", "south pole"]);

export interface FoundZone {
  zone: string;
  /** The words that name it in the text. */
  words: string;
}

let knownZones: ReadonlyMap<string, string> | undefined;

/** Zones by their identifiers and cities in lower case, collected on first use. */
function zonesByName(): ReadonlyMap<string, string> {
  if (knownZones !== undefined) return knownZones;
  const zones = new Map(Object.entries(otherNames));
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const city = zone
      .slice(zone.lastIndexOf("/") + 1)
      .replaceAll("_", " ")
      .toLowerCase();
    if (!ambiguous.has(city)) zones.set(city, zone);
    zones.set(zone.toLowerCase(), zone);
  }
  knownZones = zones;
  return zones;
}

/** The IANA time zones that a text names, by identifier or city, in the order of the text without duplicates. */
export function findTimeZones(text: string): FoundZone[] {
  const zones = zonesByName();
  const found = new Map<string, FoundZone>();
  const words = [...text.matchAll(/[\p{L}\p{N}/_+-]+/gu)].map(([word]) => word);
  for (let at = 0; at < words.length; at++) {
    for (let length = 3; length > 0; length--) {
      const name = words.slice(at, at + length).join(" ");
      const zone = zones.get(name.toLowerCase());
      if (zone === undefined) continue;
      if (!found.has(zone)) found.set(zone, { zone, words: name });
      at += length - 1;
      break;
    }
  }
  return [...found.values()];
}

/** A place in a sentence: the capitalised words after a preposition, else capitalised words that do not begin the sentence. */
export function findPlace(text: string, prepositions: string): string | undefined {
  const name = "(\\p{Lu}[\\p{L}'-]*(?:\\s+(?:(?:de|del|la|of)\\s*)?\\p{Lu}[\\p{L}'-]*){0,3})";
  const after = new RegExp(`\\b(?:${prepositions})\\s+(?:the\\s+)?${name}`, "u").exec(text);
  return after?.[1] ?? new RegExp(`(?<=[\\p{Ll},]\\s)${name}`, "u").exec(text)?.[1];
}
