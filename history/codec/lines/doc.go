// Package lines reads formats with an event, or an operation with its stamps, in each line below a
// header that names the object: PolyLin's and LiMo's. Each is a row: a table of the objects, their methods
// and how a line is cut into parts.
//
//	# queue                        # @object atomic-queue
//	enq 1 0 3                      [1] call enq(1)
//	deq 1 2 5                      [1] return
package lines
