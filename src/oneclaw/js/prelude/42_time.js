// time: the clock, and moments in the zones people name.
(() => {
  "use strict";
  const { RangeError, String } = globalThis;
  const { kit } = host;
  const { sync, offer, freeze, free } = kit;
  const now = Date.now;
  const parse = Date.parse;
  const NativeDate = Date;
  const timeOf = free(Date.prototype.getTime);

  const momentOf = (when) => {
    let moment = when;
    if (when === undefined || when === null) moment = now();
    else if (typeof when === "string") moment = parse(when);
    else if (typeof when === "object") moment = timeOf(when);
    if (typeof moment !== "number" || moment - moment !== 0) {
      throw new RangeError("A moment is a number of milliseconds since 1970, a Date or an ISO 8601 text.");
    }
    return moment;
  };
  const zoneOf = (zone) => (zone === undefined || zone === null ? null : String(zone));

  offer(
    "time",
    freeze({
      now: () => now(),
      // iso8601 (the default), human_readable, or a pattern as "%Y-%m-%d %H:%M".
      format: (when, zone, format) =>
        sync("time.format", [momentOf(when), zoneOf(zone), format === undefined ? "iso8601" : String(format)]),
      // { name, offsetMinutes, abbreviation } of a zone or a city at a moment.
      zone: (name, when) => sync("time.zone", [momentOf(when), zoneOf(name)]),
      zones: () => sync("time.zones", []),
    }),
  );
})();
