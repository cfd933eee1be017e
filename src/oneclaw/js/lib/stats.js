// lib.stats: figures about a list of numbers.
host.addLibrary("stats", (() => {
  "use strict";
  const numbersOf = (values, least = 1) => {
    if (values === null || values === undefined || typeof values[Symbol.iterator] !== "function" || typeof values === "string") {
      throw new TypeError("lib.stats needs a list of numbers.");
    }
    const numbers = [...values];
    numbers.forEach((value, index) => {
      if (typeof value !== "number" || !Number.isFinite(value)) {
        throw new TypeError(`Value ${index + 1} is not a finite number: ${typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value)}.`);
      }
    });
    if (numbers.length < least) {
      throw new RangeError(`This needs at least ${least} number${least === 1 ? "" : "s"}; there ${numbers.length === 1 ? "is 1" : `are ${numbers.length}`}.`);
    }
    return numbers;
  };

  // What rounding lost is carried along (Neumaier), so that the order of the numbers does not matter.
  const add = (numbers) => {
    let total = 0;
    let lost = 0;
    for (const value of numbers) {
      const next = total + value;
      lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
      total = next;
    }
    return Number.isFinite(total) ? total + lost : total;
  };
  const meanOf = (numbers) => add(numbers) / numbers.length;
  const squares = (numbers) => {
    const middle = meanOf(numbers);
    return add(numbers.map((value) => (value - middle) ** 2));
  };
  const sorted = (numbers) => Float64Array.from(numbers).sort();
  // Between two values in proportion, as spreadsheets and NumPy do.
  const at = (ordered, share) => {
    const place = (ordered.length - 1) * share;
    const low = Math.floor(place);
    const high = Math.min(low + 1, ordered.length - 1);
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low);
  };

  const sum = (values) => add(numbersOf(values, 0));
  const mean = (values) => meanOf(numbersOf(values));
  const quantile = (values, share) => {
    if (typeof share !== "number" || !(share >= 0 && share <= 1)) throw new RangeError("A quantile is from 0 to 1.");
    return at(sorted(numbersOf(values)), share);
  };
  const median = (values) => quantile(values, 0.5);
  const min = (values) => sorted(numbersOf(values))[0];
  const max = (values) => sorted(numbersOf(values)).at(-1);
  // Of a sample; with `population: true` of all there is.
  const variance = (values, options = {}) => {
    const isWhole = Boolean(options?.population);
    const numbers = numbersOf(values, isWhole ? 1 : 2);
    return squares(numbers) / (numbers.length - (isWhole ? 0 : 1));
  };
  const deviation = (values, options = {}) => Math.sqrt(variance(values, options));
  // The most frequent values, all of them, in order; each alone is no mode.
  const mode = (values) => {
    const counts = new Map();
    for (const value of numbersOf(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const most = Math.max(...new Set(counts.values()));
    if (most === 1 && counts.size > 1) return [];
    return [...counts].filter(([, count]) => count === most).map(([value]) => value).sort((a, b) => a - b);
  };
  const pairsOf = (xs, ys) => {
    const pair = [numbersOf(xs, 2), numbersOf(ys, 2)];
    if (pair[0].length !== pair[1].length) {
      throw new RangeError(`Both lists must be equally long; they have ${pair[0].length} and ${pair[1].length} numbers.`);
    }
    return pair;
  };
  const together = (xs, ys) => {
    const [x, y] = [meanOf(xs), meanOf(ys)];
    return add(xs.map((value, index) => (value - x) * (ys[index] - y)));
  };
  // From -1 to 1; null where one of the lists does not vary.
  const correlation = (xs, ys) => {
    const [a, b] = pairsOf(xs, ys);
    const spread = Math.sqrt(squares(a)) * Math.sqrt(squares(b));
    return spread === 0 ? null : Math.max(-1, Math.min(1, together(a, b) / spread));
  };
  // The straight line nearest to the points: y = slope * x + intercept.
  const regression = (xs, ys) => {
    const [a, b] = pairsOf(xs, ys);
    const width = squares(a);
    if (width === 0) throw new RangeError("A line needs points with different x.");
    const slope = together(a, b) / width;
    const r = correlation(a, b);
    return { slope, intercept: meanOf(b) - slope * meanOf(a), r2: r === null ? 1 : r * r };
  };
  const histogram = (values, bins = 10) => {
    if (!Number.isInteger(bins) || bins < 1 || bins > 1000) throw new RangeError("A histogram has 1 to 1,000 bins.");
    const numbers = numbersOf(values);
    const ordered = sorted(numbers);
    const [low, high] = [ordered[0], ordered.at(-1)];
    if (low === high) return [{ from: low, to: high, count: numbers.length }];
    const width = (high - low) / bins;
    const made = Array.from({ length: bins }, (_, index) => ({
      from: low + index * width,
      to: index === bins - 1 ? high : low + (index + 1) * width,
      count: 0,
    }));
    for (const value of numbers) made[Math.min(bins - 1, Math.floor((value - low) / width))].count++;
    return made;
  };
  const describe = (values) => {
    const numbers = numbersOf(values);
    const ordered = sorted(numbers);
    return {
      count: numbers.length,
      sum: add(numbers),
      mean: meanOf(numbers),
      median: at(ordered, 0.5),
      min: ordered[0],
      max: ordered.at(-1),
      deviation: numbers.length > 1 ? Math.sqrt(squares(numbers) / (numbers.length - 1)) : null,
      q1: at(ordered, 0.25),
      q3: at(ordered, 0.75),
    };
  };

  return { sum, mean, median, mode, min, max, variance, deviation, quantile, correlation, regression, histogram, describe };
})());
