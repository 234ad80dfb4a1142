//go:build !linux

package main

import (
	"context"
	"errors"
)

func start(context.Context, limits, string, ...string) (cost, []byte, error) {
	return cost{}, nil, errors.New("only on Linux can a process be stopped when it has too much memory")
}
