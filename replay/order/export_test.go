package order

var DecideInWindows = decideInWindows
