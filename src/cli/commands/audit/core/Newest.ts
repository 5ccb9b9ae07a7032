/** The newest of many, in their order and in bounded room. */
export class Newest<A> {
  private kept: Array<A> = []
  private count = 0

  /** `order` is for what does not come in its order. */
  constructor(
    private readonly most: number,
    private readonly order: ((a: A, b: A) => number) | undefined = undefined
  ) {}

  add(one: A): void {
    this.count += 1
    if (this.most === 0) return
    this.kept.push(one)
    if (this.kept.length >= 2 * this.most) this.kept = this.last()
  }

  private last(): Array<A> {
    const inOrder = this.order === undefined ? this.kept : this.kept.sort(this.order)
    return inOrder.slice(-this.most)
  }

  get items(): ReadonlyArray<A> {
    return this.last()
  }

  /** How many were added and are not among the newest. */
  get left(): number {
    return Math.max(0, this.count - this.most)
  }
}
