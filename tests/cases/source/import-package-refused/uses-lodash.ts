const first: number = 1;
import { chunk } from "lodash";
export default chunk([first], 1);
