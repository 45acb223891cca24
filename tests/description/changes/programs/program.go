// Uses the Go client from openapi-generator, in which parameters are named.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"changes/ROW/tickets"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	configuration := tickets.NewConfiguration()
	configuration.Servers = tickets.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := tickets.NewAPIClient(configuration).DesksAPI

	since, until := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)
	sales, _, err := api.ListSales(ctx, "d1").Side(tickets.SIDE_STALLS_LEFT).Since(since).Until(until).Count(5).Execute()
	must(err)
	for _, it := range sales.Items {
		var price, seat string = it.Price, it.SeatId
		fmt.Println(it.Id, price, seat, it.GetSide(), it.GetSide() == tickets.SIDE_STALLS_RIGHT)
	}

	desks, _, err := api.ListDesks(ctx).Ids([]string{"a", "b"}).Limit(10).Execute()
	must(err)
	for _, it := range desks.Items {
		fmt.Println(it.Id, it.OpenedAt.Format("2006-01-02"), it.GetMemo(), it.Metadata)
	}

	clerk := tickets.NewNewClerk("Ann", "Bonn")
	clerk.SetRoles([]string{"seller"})
	clerk.SetNote("new")
	added, _, err := api.AddClerks(ctx).AddClerksRequest(*tickets.NewAddClerksRequest([]tickets.NewClerk{*clerk})).Execute()
	must(err)
	for _, it := range added.Clerks {
		var name, id string = it.Name, it.Id
		fmt.Println(name, id, it.Roles)
	}
}
