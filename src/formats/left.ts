/** Says that nobody has left who waits for a job: who has it done at once cannot leave meanwhile. */
export const nobodyLeft = new Int32Array(1);
