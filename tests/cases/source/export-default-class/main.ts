// A class is no result.
export default class Report {
  total = 1;
}
