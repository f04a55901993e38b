// Dates: the sandbox lives in UTC, so local and UTC readings are the same.
const date = new Date(2024, 1, 29, 12, 34, 56, 789);
console.log(date.toISOString(), date.getTimezoneOffset(), +date, date);
console.log(date.getHours() === date.getUTCHours(), date.getDate() === date.getUTCDate(), date.getDay());
console.log(String(date));
console.log(date.toDateString(), "|", date.toTimeString(), "|", date.toUTCString(), "|", date.toJSON());
for (const text of ["2024-02-29", "2024-02-29T12:00", "2024-02-29T12:00:00.5Z", "2024-02-29T12:00:00+02:00", "Thu, 29 Feb 2024 12:00:00 GMT", "29 Feb 2024 12:00 +0100", "Feb 29, 2024", "2024-13-01", "nonsense", "+010000-01-01T00:00:00Z"]) {
  const parsed = new Date(text);
  console.log(text, "->", Number.isNaN(+parsed) ? "invalid" : parsed.toISOString());
}
date.setMonth(11, 31);
date.setDate(32);
console.log(date.toISOString(), new Date(2024, 0, 0).getDate(), new Date(99, 0).getFullYear());
console.log(Date.UTC(1970, 0, 1), new Date(8.64e15).toISOString(), String(new Date(NaN)), new Date(NaN).getTime());
try {
  new Date(NaN).toISOString();
} catch (error) {
  console.log((error as Error).name);
}
const span = +new Date("2024-03-31T03:00") - +new Date("2024-03-30T03:00");
console.log(span / 3_600_000, "hours: no summer time");
console.log(typeof Date.now(), Date.now() > Date.UTC(2024, 0), Date.now() === Date.now(), new Date(new Date(5)).getTime());
console.log(`${new Date(0)[Symbol.toPrimitive]("number")}`, JSON.stringify({ at: new Date(0) }), typeof Date());
