//go:build !linux

package main

import (
	"context"
	"errors"
)

func start(context.Context, limits, string, ...string) (cost, []byte, error) {
	return cost{}, nil, errors.New("stopping a process that has too much memory needs Linux")
}
