import { count, fields, list, numbers, pointId, QdrantRefusal, wrong } from "./read-body.ts";
import { type FilteredPoint, readFilter } from "./stand-in-filter.ts";

interface Sparse {
  indices: number[];
  values: number[];
}

interface Point extends FilteredPoint {
  dense: Map<string, number[]>;
  sparse: Map<string, Sparse>;
}

/** One collection of the simulated server. */
export class StandInCollection {
  readonly #points = new Map<string | number, Point>();
  readonly #indexes = new Map<string, string>();
  readonly #dense: ReadonlyMap<string, number>;
  readonly #sparse: ReadonlySet<string>;

  private constructor(dense: ReadonlyMap<string, number>, sparse: ReadonlySet<string>) {
    this.#dense = dense;
    this.#sparse = sparse;
  }

  static create(name: string, body: unknown): StandInCollection {
    if (name.length > 255 || /[/\\<>:"|?*\0]/.test(name)) throw wrong("collection name is not allowed");
    const { vectors, sparse_vectors } = fields(body, ["vectors"], ["sparse_vectors", "on_disk_payload"]);
    const dense = new Map<string, number>();
    for (const [vector, shape] of Object.entries(fields(vectors, [], Object.keys(Object(vectors))))) {
      const { size, distance } = fields(shape, ["size", "distance"]);
      if (distance !== "Cosine") throw wrong("this stand-in knows Cosine only");
      if (count(size, 1) > 65_536) throw wrong("size must be at most 65536");
      dense.set(vector, Number(size));
    }
    for (const shape of Object.values(Object(sparse_vectors)))
      if (fields(shape, [], ["modifier"]).modifier !== "idf") throw wrong("unknown modifier");
    return new StandInCollection(dense, new Set(Object.keys(Object(sparse_vectors))));
  }

  describe(): unknown {
    const vectors = Object.fromEntries(
      [...this.#dense].map(([name, size]) => [name, { size, distance: "Cosine" }]),
    );
    const payload_schema = Object.fromEntries(
      [...this.#indexes].map(([field, data_type]) => [field, { data_type, points: this.#points.size }]),
    );
    const config = { params: { vectors } };
    return { status: "green", points_count: this.#points.size, config, payload_schema };
  }

  index(body: unknown): unknown {
    const { field_name, field_schema } = fields(body, ["field_name", "field_schema"]);
    if (field_schema !== "keyword" && field_schema !== "integer") throw wrong("unknown field_schema");
    this.#indexes.set(String(field_name), field_schema);
    return done;
  }

  upsert(body: unknown): unknown {
    const points = list(fields(body, ["points"]).points).map((point) => this.#readPoint(point));
    for (const point of points) this.#points.set(point.id, point);
    return done;
  }

  delete(body: unknown): unknown {
    const { points, filter } = fields(body, [], ["points", "filter"]);
    if ((points === undefined) === (filter === undefined))
      throw wrong("data did not match any variant of PointsSelector");
    const chosen =
      points === undefined ? this.#passing(filter) : list(points).map((id) => ({ id: pointId(id) }));
    for (const { id } of chosen) this.#points.delete(id);
    return done;
  }

  count(body: unknown): unknown {
    const { filter, exact } = fields(body, [], ["filter", "exact"]);
    if (exact !== true) throw wrong("this stand-in counts exactly only");
    return { count: this.#passing(filter).length };
  }

  scroll(body: unknown): unknown {
    const { filter, limit, offset, with_payload, with_vector } = fields(
      body,
      [],
      ["filter", "limit", "offset", "with_payload", "with_vector"],
    );
    if (with_vector !== false) throw wrong("this stand-in scrolls without vectors");
    const most = limit === undefined ? 10 : count(limit, 1);
    const all = this.#passing(filter).sort((one, other) => (one.id < other.id ? -1 : 1));
    const from =
      offset === undefined || offset === null ? all : all.filter(({ id }) => id >= pointId(offset));
    const points = from
      .slice(0, most)
      .map(({ id, payload }) => ({ id, payload: chosen(payload, with_payload) }));
    return { points, next_page_offset: from[most]?.id ?? null };
  }

  query(body: unknown, isForgetful: boolean): unknown {
    const { query, using, filter, limit, params, with_payload, with_vector } = fields(
      body,
      ["query", "using", "limit"],
      ["filter", "params", "with_payload", "with_vector"],
    );
    const isExact = params !== undefined && fields(params, ["exact"]).exact === true;
    const rank = Array.isArray(query) ? this.#byMeaning(numbers(query), using) : this.#byWords(query, using);
    const ranked = this.#passing(filter).flatMap((point) => {
      const score = rank(point);
      return score === undefined ? [] : [{ point, score }];
    });
    ranked.sort((one, other) => other.score - one.score);
    // Like a graph that a filter cuts into pieces: some points are never reached.
    const reached =
      filter !== undefined && isForgetful && Array.isArray(query) && !isExact
        ? ranked.filter((_, at) => at % 3 === 0)
        : ranked;
    const points = reached.slice(0, count(limit, 1)).map(({ point, score }) => ({
      id: point.id,
      version: 0,
      score,
      ...(with_payload !== undefined && { payload: chosen(point.payload, with_payload) }),
      ...(with_vector !== undefined && {
        vector: Object.fromEntries(list(with_vector).map((name) => [name, point.dense.get(String(name))])),
      }),
    }));
    return { points };
  }

  #passing(filter: unknown): Point[] {
    const test = readFilter(filter, (key) => {
      if (!this.#indexes.has(key))
        throw new QdrantRefusal(400, `Bad request: Index required but not found for "${key}"`);
    });
    return [...this.#points.values()].filter(test);
  }

  #byMeaning(sought: number[], using: unknown): (point: Point) => number | undefined {
    this.#requireSize(String(using), sought);
    const unit = normalised(sought);
    return ({ dense }) =>
      dense.get(String(using))?.reduce((sum, part, at) => sum + part * (unit[at] ?? 0), 0);
  }

  /** Scores points for a sparse search: those that share an index with the query, weighted by its rarity. */
  #byWords(query: unknown, using: unknown): (point: Point) => number | undefined {
    if (!this.#sparse.has(String(using))) throw wrong(`Not existing vector name error: ${using}`);
    const { indices, values } = readSparse(query);
    const holders = (index: number) =>
      [...this.#points.values()].filter(({ sparse }) => sparse.get(String(using))?.indices.includes(index))
        .length;
    const rarity = indices.map((index) => {
      const held = holders(index);
      return Math.log(1 + (this.#points.size - held + 0.5) / (held + 0.5));
    });
    return ({ sparse }) => {
      const words = sparse.get(String(using));
      const shared = indices.flatMap((index, at) => {
        const found = words?.indices.indexOf(index) ?? -1;
        return found === -1 ? [] : [(values[at] ?? 0) * (rarity[at] ?? 0) * (words?.values[found] ?? 0)];
      });
      return shared.length === 0 ? undefined : shared.reduce((sum, part) => sum + part, 0);
    };
  }

  #readPoint(value: unknown): Point {
    const { id, vector, payload } = fields(value, ["id", "vector"], ["payload"]);
    const dense = new Map<string, number[]>();
    const sparse = new Map<string, Sparse>();
    for (const [name, one] of Object.entries(fields(vector, [...this.#dense.keys()], [...this.#sparse]))) {
      if (this.#sparse.has(name)) sparse.set(name, readSparse(one));
      else {
        this.#requireSize(name, numbers(one));
        dense.set(name, normalised(numbers(one)));
      }
    }
    return { id: pointId(id), dense, sparse, payload: structuredClone(Object(payload)) };
  }

  #requireSize(name: string, vector: readonly number[]): void {
    const size = this.#dense.get(name);
    if (size === undefined) throw wrong(`Not existing vector name error: ${name}`);
    if (size !== vector.length)
      throw wrong(`Vector dimension error: expected dim: ${size}, got ${vector.length}`);
  }
}

const done = { operation_id: 1, status: "completed" };

function readSparse(value: unknown): Sparse {
  const sparse = fields(value, ["indices", "values"]);
  const indices = numbers(sparse.indices);
  const values = numbers(sparse.values);
  if (indices.length !== values.length) throw wrong("must be the same length as indices");
  if (new Set(indices).size !== indices.length) throw wrong("must be unique");
  for (const index of indices) if (count(index, 0) > 0xffff_ffff) throw wrong("expected u32");
  return { indices, values };
}

function normalised(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length < 1e-10 ? [...vector] : vector.map((part) => part / length);
}

function chosen(payload: Record<string, unknown>, selector: unknown): Record<string, unknown> {
  if (selector === true) return payload;
  const names = list(selector).map(String);
  return Object.fromEntries(Object.entries(payload).filter(([name]) => names.includes(name)));
}
