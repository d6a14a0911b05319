export { acrossColour, acrossGrey } from "./across";
export { down } from "./down";
