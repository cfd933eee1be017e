// lib.dates: dates and moments in ISO 8601, and reckoning with them, without time zones.
//
// A date is "2026-02-28"; a moment "2026-02-28T12:30:00Z", with an offset, or with none where it is local.
// What comes out is written as what went in.
host.addLibrary("dates", (() => {
  "use strict";
  const DATE = /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)$/;
  const MOMENT = /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;
  const DURATION = /^([+-]?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
  const DAY = 86_400_000;
  const NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
  const UNITS = ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"];
  const LENGTHS = { weeks: 7 * DAY, days: DAY, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 };

  const isLeapYear = (year) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const daysInMonth = (year, month) => {
    whole(year, "year");
    if (!(whole(month, "month") >= 1 && month <= 12)) throw new RangeError("A month is from 1 to 12.");
    return month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  };
  const whole = (value, what) => {
    if (!Number.isInteger(value)) throw new TypeError(`The ${what} must be a whole number, not ${String(value)}.`);
    return value;
  };
  const utc = (year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0) => {
    const made = new Date(Date.UTC(2000, month - 1, 1, hour, minute, second, millisecond));
    made.setUTCFullYear(year, month - 1, day);
    return made.getTime();
  };

  // { time, isDate, offset }: `time` as if the clock on the wall were in UTC; `offset` is the text after it.
  const read = (value) => {
    if (value instanceof Date) {
      if (Number.isNaN(value.getTime())) throw new RangeError("The Date is not a valid one.");
      return { time: value.getTime(), isDate: false, offset: "Z" };
    }
    const text = typeof value === "string" ? value.trim() : "";
    const found = DATE.exec(text) ?? MOMENT.exec(text);
    if (found === null) {
      throw new RangeError(`Not a date in ISO 8601: ${String(value).slice(0, 60)}; write it as 2026-02-28 or 2026-02-28T12:30:00Z.`);
    }
    const [year, month, day, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => (part === undefined ? undefined : Number(part)));
    const isDate = found.length === 4;
    const isReal = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
    if (!isReal || hour > 23 || minute > 59 || second > 59) throw new RangeError(`There is no such date or time: ${text}.`);
    const millisecond = isDate || found[7] === undefined ? 0 : Number(found[7].padEnd(3, "0").slice(0, 3));
    const time = utc(year, month, day, hour, minute, second, millisecond);
    return { time, isDate, offset: isDate ? "" : (found[8] ?? "").toUpperCase() };
  };
  const offsetOf = (offset) => {
    if (offset === "" || offset === "Z") return 0;
    const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
    return (offset[0] === "-" ? -1 : 1) * (hours * 3_600_000 + minutes * 60_000);
  };
  const instant = ({ time, offset }) => time - offsetOf(offset);
  const write = ({ time, isDate, offset }) => {
    const date = new Date(time);
    if (Number.isNaN(date.getTime())) throw new RangeError("The date is too far away.");
    const [day, clock] = date.toISOString().split("T");
    if (isDate) return day;
    const [seconds, milliseconds] = clock.slice(0, -1).split(".");
    return `${day}T${seconds}${milliseconds === "000" ? "" : `.${milliseconds}`}${offset}`;
  };

  const amountOf = (amount) => {
    if (typeof amount === "string") return durationOf(amount);
    if (amount === null || typeof amount !== "object") {
      throw new TypeError('An amount of time is an object as { days: 3 }, or a text as "P3D".');
    }
    for (const unit of Object.keys(amount)) {
      if (!UNITS.includes(unit)) throw new RangeError(`There is no unit ${unit}; use ${UNITS.join(", ")}.`);
      whole(amount[unit], `number of ${unit}`);
    }
    return amount;
  };
  const durationOf = (text) => {
    const found = DURATION.exec(text.trim().toUpperCase());
    if (found === null || !/\d/.test(text) || /T$/i.test(text.trim())) {
      throw new RangeError(`Not a duration in ISO 8601: ${text.slice(0, 60)}; write it as P1Y2M3D or PT12H30M.`);
    }
    const sign = found[1] === "-" ? -1 : 1;
    const [years, months, weeks, days, hours, minutes, seconds] = found.slice(2).map((part) => sign * Number(part ?? 0));
    return { years, months, weeks, days, hours, minutes, milliseconds: Math.round(seconds * 1000) };
  };

  // Months first, the day kept or the last of the month where there is none (31 January + 1 month is 28
  // February), then the rest.
  const add = (value, amount) => {
    const start = read(value);
    const by = amountOf(amount);
    const from = new Date(start.time);
    const months = from.getUTCFullYear() * 12 + from.getUTCMonth() + (by.years ?? 0) * 12 + (by.months ?? 0);
    const [year, month] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1];
    const day = Math.min(from.getUTCDate(), daysInMonth(year, month));
    let time = utc(year, month, day) + (((start.time % DAY) + DAY) % DAY);
    let hasClock = false;
    for (const [unit, length] of Object.entries(LENGTHS)) {
      time += (by[unit] ?? 0) * length;
      hasClock ||= length < DAY && Boolean(by[unit]);
    }
    return write({ time, isDate: start.isDate && !hasClock, offset: start.offset });
  };
  const subtract = (value, amount) => {
    const by = amountOf(amount);
    return add(value, Object.fromEntries(Object.entries(by).map(([unit, count]) => [unit, -count])));
  };

  const UNIT_NAMES = { ...Object.fromEntries(UNITS.map((unit) => [unit, unit])), ...Object.fromEntries(UNITS.map((unit) => [unit.slice(0, -1), unit])) };
  // How many whole units lie between; below 0 where the second comes first.
  const between = (from, to, unit = "days") => {
    const wanted = UNIT_NAMES[unit];
    if (wanted === undefined) throw new RangeError(`There is no unit ${String(unit)}; use ${UNITS.join(", ")}.`);
    const [start, end] = [read(from), read(to)];
    if (wanted in LENGTHS) return Math.trunc((instant(end) - instant(start)) / LENGTHS[wanted]) + 0;
    const [a, b] = [new Date(start.time), new Date(instant(end) + offsetOf(start.offset))];
    let months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
    const reached = (count) => instant(read(add(write(start), { months: count })));
    if (months > 0 && reached(months) > instant(end)) months--;
    if (months < 0 && reached(months) < instant(end)) months++;
    return (wanted === "months" ? months : Math.trunc(months / 12)) + 0;
  };
  const compare = (one, other) => Math.sign(instant(read(one)) - instant(read(other)));

  // Monday is 1, Sunday 7.
  const dayOf = (time) => ((Math.floor(time / DAY) + 3) % 7 + 7) % 7 + 1;
  const weekday = (value) => {
    const number = dayOf(read(value).time);
    return { number, name: NAMES[number - 1] };
  };
  // The week of ISO 8601, which may belong to the year before or after.
  const week = (value) => {
    const { time } = read(value);
    const thursday = new Date((Math.floor(time / DAY) + 4 - dayOf(time)) * DAY);
    const year = thursday.getUTCFullYear();
    return { year, week: Math.floor((thursday.getTime() - utc(year, 1, 1)) / DAY / 7) + 1 };
  };
  const dayOfYear = (value) => {
    const { time } = read(value);
    return Math.floor((time - utc(new Date(time).getUTCFullYear(), 1, 1)) / DAY) + 1;
  };
  const startOf = (value, unit) => change(value, unit, 0);
  const endOf = (value, unit) => change(value, unit, 1);
  const change = (value, unit, isEnd) => {
    const start = read(value);
    const date = new Date(start.time);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
    const today = Math.floor(start.time / DAY) * DAY;
    const spans = {
      __proto__: null,
      year: [utc(year, 1, 1), utc(year + 1, 1, 1)],
      month: [utc(year, month, 1), utc(year, month + 1, 1)],
      week: [today - (dayOf(today) - 1) * DAY, today + (8 - dayOf(today)) * DAY],
      day: [today, today + DAY],
    };
    const span = spans[unit];
    if (span === undefined) throw new RangeError(`Use one of year, month, week and day, not ${String(unit)}.`);
    const last = start.isDate ? DAY : 1;
    return write({ ...start, time: isEnd ? span[1] - last : span[0] });
  };
  // Every date from one to the other, both included.
  const range = (from, to, step = { days: 1 }) => {
    const dates = [];
    const direction = add(from, step);
    if (compare(direction, from) === 0) throw new RangeError("The step of a range must not be 0.");
    const sign = compare(direction, from);
    const by = amountOf(step);
    for (let count = 0; ; count++) {
      const next = add(from, Object.fromEntries(Object.entries(by).map(([unit, size]) => [unit, size * count])));
      if (compare(next, to) * sign > 0) return dates;
      if (dates.length === 10_000) throw new RangeError("A range has at most 10,000 dates.");
      dates.push(next);
    }
  };
  const isValid = (value) => {
    try {
      read(value);
      return true;
    } catch {
      return false;
    }
  };
  const parts = (value) => {
    const { time, isDate, offset } = read(value);
    const date = new Date(time);
    const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    if (isDate) return day;
    const clock = { hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() };
    return { ...day, ...clock, millisecond: date.getUTCMilliseconds(), offset };
  };

  return {
    ...{ add, subtract, between, compare, weekday, week, dayOfYear, daysInMonth, isLeapYear },
    ...{ startOf, endOf, range, isValid, parts },
  };
})());
